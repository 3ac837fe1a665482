/** The texts of the view Mistakes. The findings themselves, with their help and their fixes, are the service's. */

import type { ComponentChildren } from "preact";
import { said } from "../said";
import { count, plural } from "../words";

export const LINT = {
  severities: [
    ["error", "Errors", "It does something else than it says."],
    ["warning", "Warnings", "Probably not what was meant, or not what every crawler makes of it."],
    ["note", "Notes", "Good to know; often meant that way."],
  ] as ["error" | "warning" | "note", title: string, meaning: string][],
  label: "Findings",
  noFile: "There is no file to look for mistakes in.",
  empty: "Nothing to check",
  emptyMore: "The file is empty, and an empty file allows everything.",
  none: "No mistakes found",
  noneMore: "Nothing in this file looks wrong. The view Test shows whether it does what you want.",
  summary: (problems: number, notes: number) => {
    const parts = [problems > 0 ? count(problems, "problem") : "", notes > 0 ? count(notes, "note") : ""];
    return `${parts.filter((part) => part !== "").join(" and ")}.`;
  },
  apply: (fixes: number, lines: string) => `Apply ${plural(fixes, "the safe fix", `the ${fixes} safe fixes`)} (${lines})`,
  applied: (fixes: number) => `${count(fixes, "safe fix", "safe fixes")} applied.`,
  safe: (isMisspelled: boolean) =>
    `Safe fixes change no verdict that this test gives for a known crawler (except as the old draft of 1996).${isMisspelled ? " Crawlers that ignored a misspelled line may follow it afterwards." : ""}`,
  others: (number: number) => `The other ${count(number, "finding needs", "findings need")} your decision.`,
  more: (number: number) => `Show ${number} more`,
  alike: (number: number, name: string) => `${count(number, "more finding")} of ${name}`,
};

export const FINDING = {
  related: (line: ComponentChildren, because: ComponentChildren) => said`${line}: ${because}. `,
  acceptedHere:
    "The view Test understands this line, as Google does. For other crawlers it says “Perhaps” where the line decides, because they may ignore it.",
  ignoredHere: "The view Test ignores this line, because the file is read as the old draft of 1996 defines it.",
  affects: (whom: string) => `Affects ${whom}.`,
  possibleFix: (title: ComponentChildren) => said`Possible fix: ${title}.`,
  fix: (title: ComponentChildren) => said`Fix: ${title}`,
  fixed: (line: number, title: string) => `Line ${line}: ${title}.`,
  isSafe: " Safe: no verdict changes.",
  mayBlock: " There is no button for it, because it may block the whole site, or paths that no rule names. Change the line yourself if you want that.",
  mayChange: " Careful: this may change verdicts.",
  see: "See what changes",
  nameSite: "Say which site this file is for",
  nameSiteMore: " Then there is a fix.",
  why: (name: string) => said`Why? <unseen>${name}</unseen>`,
};
