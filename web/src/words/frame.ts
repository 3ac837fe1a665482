/** The texts around the views: the top of the page, its dialogs and notices, the tabs, and the explained words. */

import type { ComponentChildren } from "preact";
import { said } from "../said";
import { count, plural } from "../words";

export const skip = "Skip to the verdicts";
export const views = "What it means";
export const title = (view: string) => `${view} – comity, the robots.txt tester`;

export const headerName = "comity";
export const headerWhat = "the robots.txt tester";
export const headerQuestion = "May this crawler fetch this URL, and exactly why?";
export const headerReadAs = "Read as";
export const headerReadAsHelp =
  "Crawlers differ in small things when they read a robots.txt. The standard (RFC 9309, the Internet’s common rules for robots.txt) is right for most questions; choose a search engine to read the file exactly as it does.";
export const headerTheme = "Theme";
export const headerChangeTheme = { system: "Theme: system. Change", light: "Theme: light. Change", dark: "Theme: dark. Change" };

export const helpOpen = "Help and keyboard shortcuts";
export const helpShort = "Help";
export const helpTitle = "How it works";
export const helpStepFile = "Fetch a site’s robots.txt, paste one, or change the example.";
export const helpStepFileStatic = "Open a robots.txt, paste one, or change the example.";
export const helpSteps = ["Write the URLs that you care about, and choose crawlers.", "Read the verdicts, and click one to see why. The line that decides lights up."];
export const helpKeyboard = "By keyboard";
export const helpShortcuts = [
  [["Alt", "1"], "to Alt 9, then Alt 0: the views, in their order"],
  [["Tab"], "leaves the editor, as it leaves any field"],
  [["F8"], "in the editor: the next finding"],
  [["Ctrl", "F"], "in the editor: search"],
  [["Ctrl", "."], "from anywhere: to the verdicts, and from there back to the editor"],
  [["←", "→", "↑", "↓"], "from one verdict, or one view, to the next"],
  [["Enter"], "on a verdict: why it is so"],
  [["Ctrl", "S"], "downloads the file"],
  [["F1"], "this list"],
] as [keys: string[], what: string][];
export const helpGoesNowhere = "Your browser itself works out the answers: the file and the URLs do not leave it.";
export const helpStaysHere = "The file and the URLs go to the program on your own computer that shows this page, and nowhere else.";
export const helpIsSent = (host: string) => `The file and the URLs are sent to ${host} to be answered. They are not stored there.`;
export const helpAbout = (version: string, api: ComponentChildren, licenses: ComponentChildren) =>
  said`With a Mac’s keyboard, Ctrl is Cmd. comity ${version}; ${api} answers the same questions for programs. ${licenses} of the parts of this page.`;
export const helpAboutStatic = (version: string, licenses: ComponentChildren) =>
  said`With a Mac’s keyboard, Ctrl is Cmd. comity ${version}. ${licenses} of the parts of this page.`;
export const helpApi = "the API";
export const helpLicenses = "Licenses";
export const helpClose = "Close";

export const noticesLink = (rest: string) =>
  said`<strong>This link is incomplete or damaged.</strong> Programs often cut long links: ask for it again, or for the file itself. ${rest}`;
export const noticesLinkExample = "What you see is the example.";
export const noticesLinkFormer = "What you see is what was here before.";
export const noticesClose = "Close";
export const noticesModule = () =>
  said`<strong>The tester could not be loaded completely.</strong> Load the page again. If that does not help, its WebAssembly module is missing on this host, or the browser does not allow WebAssembly here.`;
export const noticesOffline = () =>
  said`<strong>The service does not answer.</strong> What you typed is safe, and the last verdicts stay. If you started it yourself, start it again: <code>comity serve</code>. The page keeps trying.`;
export const noticesRetry = "Try now";
export const noticesBusy = () => said`<strong>The service is busy.</strong> The page tries again by itself.`;
export const noticesToken = "Token";
export const noticesTokenAsked = () =>
  said`<strong>This service asks for a password, its token.</strong> The person who set up this page has it. It is not the password of your website. It is forgotten when you close the page.`;
export const noticesTokenWrong = () => said` <strong>The token that you gave is not the right one.</strong>`;
export const noticesTokenUse = "Use it";

export const tabsLabel = "Views";
/** After the name of the view Mistakes, for screen readers. The number is shown between the two. */
export const tabsBefore = ": ";
export const tabsAfter = (problems: number, isStale: boolean) => ` ${plural(problems, "problem")}${isStale ? " before the last change" : ""}`;

export const shareOpen = "Share";
export const shareTitle = "A link to what you see";
export const shareTitleLong = "Too long for a link";
export const shareLong = (most: number) =>
  `The link would have more than ${count(most, "character")}, and most chats and mail programs cut such links. Share it without the file, and send the file itself: Download saves it.`;
export const shareContents = (contents: string) =>
  `The link contains ${contents}. Nothing is stored on a server: all of it is in the link itself, for whoever gets it.`;
export const shareFile = (size: string) => `the whole file (${size})`;
export const shareOriginal = "the original that it is compared with";
export const shareView = (title: string) => `the view ${title}`;
export const shareList = (parts: string[]) => (parts.length < 2 ? (parts[0] ?? "") : `${parts.slice(0, -1).join(", ")} and ${parts.at(-1)}`);
export const shareField = "The link";
export const shareDownload = "Download the file";
export const shareCopy = "Copy the link";
export const shareCopied = "The link is copied.";
export const shareCopiedHere = "✓ Copied just now. Paste it into a mail or a chat.";
export const shareNotCopied = "The browser did not let the page copy it. Select the link above, and copy it yourself.";
export const shareMayBeCut = (length: number) => `It is ${count(length, "character")} long, and some programs cut long links.`;
export const shareWithFile = "With the file";
export const shareClose = "Close";
export const shareOnlyHere = (host: string) =>
  said`<strong>This link works only on this computer.</strong> The page that you see comes from a program that runs here (${host}), which other computers and your phone cannot reach. To show the file to others, download it and send it. For a link that works everywhere, this program has to run on a server.`;
export const shareOnlyInside = (host: string) =>
  said`<strong>This link works only inside your own network:</strong> ${host} cannot be reached from elsewhere.`;

/** The explained words, with their meanings. */
export const terms = {
  crawler: ["Crawler", "a program that reads websites for a search engine or another company. Googlebot is the one of Google’s search."],
  verdict: ["Verdict", "the answer to the question if a crawler may fetch a URL: allowed or blocked. To block is not to hide: a blocked page can still be listed."],
  rule: ["Rule", "a line with Allow or Disallow. If several fit a URL, the one with the longest path decides: the one with the most characters after the colon. A letter such as ü counts as %C3%BC."],
  group: ["Group", "one or more User-agent lines, which name crawlers, with the rules below them. A crawler obeys the group that names it; only without one, the group for everyone (*)."],
  readings: ["Read as", "crawlers differ in small things when they read a robots.txt. The standard is the common rules of the Internet for it, published as RFC 9309 in 2022. It is right for most questions."],
  original: ["Before and After", "the file before your changes, for example the one that is live now, and your text in the editor."],
  witness: ["Newly blocked, newly allowed", "what crawlers could fetch before and cannot fetch after, and the other way around."],
  policy: ["What failures mean", "what crawlers do if a site does not answer, or answers with an error. Search engines differ, so you can choose."],
  redirect: ["Redirect", "the server says that the file is at another address, and the crawler asks there."],
  purposes: ["Training, Search, Agents", "the three uses of pages: models learn from them, search engines list them, and assistants read them when a person asks."],
  preference: ["Preference", "a line that asks how pages may be used after they were fetched. It blocks nothing, and few crawlers promise to respect it."],
  noindex: ["noindex", "a note on a page, for search engines: do not show this page in search results. They must be able to fetch the page to see it."],
  sitemap: ["Sitemap", "a file on the site that lists its pages for search engines. Shop programs often write it by themselves."],
  path: ["Path", "the part of an address after the name of the site: of https://shop.example/cart/ it is /cart/."],
  fix: ["Safe fix", "a correction that changes no verdict of a known crawler."],
} satisfies Record<string, [word: string, meaning: string]>;

/** The heading of the explained words. */
export const termsTitle = "What do the words here mean?";

export type Term = keyof typeof terms;
