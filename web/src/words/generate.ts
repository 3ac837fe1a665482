/** The texts of the view Write. */

import { count, numeral, plural } from "../words";

type Choice = [title: string, note: string];
type Field = [label: string, example: string];

export const lead = "Choose, and get a finished file. Before you see it, it is checked that each known crawler that it names, and every other one, gets exactly the answers that you chose.";
export const kind = "What kind of site is it?";
export const presets = [
  ["", "Start empty", "Everything is allowed, except what you choose below."],
  ["wordpress", "A WordPress site", "Keeps crawlers out of the dashboard, and of the pages that your site’s own search makes. Your other pages stay open."],
  ["shop", "A shop", "Keeps crawlers out of the cart, the checkout, accounts, and sorted lists."],
  ["block-ai-training", "No AI training", "Training out, search in: blocks each known crawler for AI training that a robots.txt can name. AI search stays allowed. The same as “Block crawlers for AI training” and “Also write down how AI and search may use the pages” below."],
  ["search-only", "Search engines only", "Blocks every crawler except those of search engines."],
  ["staging", "Nobody: block everything (for a test copy)", "Blocks every crawler. Use a password too: not every crawler obeys."],
] as [name: string, title: string, about: string][];
export const ai = "What about AI?";
export const blocksTraining: Choice = ["Block crawlers for AI training", "They collect texts and images from which AI learns, such as GPTBot."];
export const blocksAi: Choice = ["Block all AI crawlers", "For training, for AI search, and those that answer a person’s question. AI answers may then leave out your site."];
export const prefers: Choice = ["Also write down how AI and search may use the pages", "A line such as “Content-Signal: ai-train=no” asks those that may fetch. Few promise to respect it."];
export const explains: Choice = ["Put a comment above each line that says what it does", "For you; crawlers skip it."];
export const more = "More choices: paths, crawlers, sitemaps";
export const paths =
  "A path is the part of an address after the name of the site: of https://shop.example/drafts/spring it is /drafts/spring. A rule for /drafts/ covers everything in that folder.";
export const eachLine = "(one on each line)";
export const protect: Field = ["Paths that no crawler may fetch", "/drafts/\nGooglebot:/old/"];
export const allow: Field = ["Exceptions: paths that stay allowed", "/drafts/public/"];
export const block: Field = ["Crawlers to block", "GPTBot"];
export const sitemaps: Field = ["Addresses of sitemaps, which list your pages for search engines", "https://shop.example/sitemap.xml"];
export const goal = "What do you want?";
export const newFile = "A new file";
export const addToFile = "My file in the editor, with these choices added to it";
export const onlyNew = "These choices replace all rules, so they need a new file.";

export const writtenTitle = "Your new file";
export const writtenLabel = "The written file";
export const writtenUse = "Put this file into the editor";
export const writtenIsThere = "Your file already says this.";
export const writtenIsUsed = "The written file is in the editor.";
export const writtenYourSite =
  "Nothing is written to your site: to use the file, put it at /robots.txt of your site. The button replaces the text in the editor; another one then brings it back.";
/** `crawlers`: their names, which a file cannot contain. `isAsked`: the file asks them not to train. */
export const writtenUnnamed = (number: number, crawlers: string, isAsked: boolean) =>
  `${count(number, "known AI crawler is", "known AI crawlers are")} not blocked by name, because a robots.txt cannot contain a name with a space: ${crawlers}. The rules for everyone (*) apply to ${plural(number, "it", "them")}${isAsked ? ", which ask not to train AI" : ""}.`;
export const writtenMoreLines = (number: number) => `and ${numeral(number)} more lines`;
export const writtenSame = "Compared with your file, nothing changes for any URL.";
export const writtenChanges = (number: number) =>
  `Compared with your file: ${count(number, "change")}. Put it into the editor, and the view Compare shows each.`;
export const writtenChecked = (number: number) => `${count(number, "answer was", "answers were")} checked`;

// The places for a written file.

export const publishTitle = "Where do I paste it?";
export const publishPlaces = [
  ["WordPress", "In an SEO plugin such as Yoast SEO: Tools, then File editor, then the field for robots.txt. Without a plugin, upload the file as robots.txt into the folder that contains wp-config.php."],
  ["Shopify", "Online Store, Themes, the menu “…”, Edit code: add the template robots.txt.liquid. Put the lines that you add below the ones that Shopify writes, and keep those."],
  ["Wix", "Dashboard, SEO, then Tools and settings, then Robots.txt editor. Paste the file, and save it; the site has to be published with a domain of its own."],
  ["A static host, or your own server", "Save it as robots.txt in the top folder of the site, the one of index.html, and publish again. Then open https://your-site/robots.txt: it must show this text."],
] as [name: string, how: string][];
