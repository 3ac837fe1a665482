/** The texts of the view Mistakes. The findings themselves, with their help and their fixes, are the service's. */

import type { ComponentChildren } from "preact";
import { said } from "../said";
import { count, plural } from "../words";

export const severities = [
  ["error", "Errors", "It does something else than it says."],
  ["warning", "Warnings", "Probably not what was meant, or not what every crawler makes of it."],
  ["note", "Notes", "Good to know; often meant that way."],
] as ["error" | "warning" | "note", title: string, meaning: string][];
export const label = "Findings";
export const noFile = "There is no file to look for mistakes in.";
export const empty = "Nothing to check";
export const emptyMore = "The file is empty, and an empty file allows everything.";
export const none = "No mistakes found";
export const noneMore = "Nothing in this file looks wrong. The view Test shows whether it does what you want, and the view Sitemaps whether it blocks pages of your sitemaps.";
export const summary = (problems: number, notes: number) => {
  const parts = [problems > 0 ? count(problems, "problem") : "", notes > 0 ? count(notes, "note") : ""];
  return `${parts.filter((part) => part !== "").join(" and ")}.`;
};
export const apply = (fixes: number, lines: string) => `Apply ${plural(fixes, "the safe fix", `the ${fixes} safe fixes`)} (${lines})`;
export const applied = (fixes: number) => `${count(fixes, "safe fix", "safe fixes")} applied.`;
export const safe = (isMisspelled: boolean) =>
  `Safe fixes change no verdict that this test gives for a known crawler (except as the old draft of 1996).${isMisspelled ? " Crawlers that ignored a misspelled line may follow it afterwards." : ""}`;
export const others = (number: number) => `The other ${count(number, "finding needs", "findings need")} your decision.`;
export const more = (number: number) => `Show ${number} more`;
export const alike = (number: number, name: string) => `${count(number, "more finding")} of ${name}`;

export const findingRelated = (line: ComponentChildren, because: ComponentChildren) => said`${line}: ${because}. `;
export const findingAcceptedHere =
  "The view Test understands this line, as Google does. For other crawlers it says “Perhaps” where the line decides, because they may ignore it.";
export const findingIgnoredHere = "The view Test ignores this line, because the file is read as the old draft of 1996 defines it.";
export const findingAffects = (whom: string) => `Affects ${whom}.`;
export const findingPossibleFix = (title: ComponentChildren) => said`Possible fix: ${title}.`;
export const findingFix = (title: ComponentChildren) => said`Fix: ${title}`;
export const findingFixed = (line: number, title: string) => `Line ${line}: ${title}.`;
export const findingIsSafe = " Safe: no verdict changes.";
export const findingMayBlock = " There is no button for it, because it may block the whole site, or paths that no rule names. Change the line yourself if you want that.";
export const findingMayChange = " Careful: this may change verdicts.";
export const findingSee = "See what changes";
export const findingNameSite = "Say which site this file is for";
export const findingNameSiteMore = " Then there is a fix.";
export const findingWhy = (name: string) => said`Why? <unseen>${name}</unseen>`;
