/** Answers whether a crawler may fetch a URL, by a robots.txt, and names the line that decides. */

import { load } from "#check";
import { provide } from "./file.js";

provide(load);

export * from "./robots.js";
