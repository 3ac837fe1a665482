/** A replacement for the package `robots-parser`, with the same methods and the same order of arguments. */

import "./index.js";
import { robotsParser } from "./parser.js";

export type { Robot } from "./parser.js";

// `require("comity/robots-parser")` returns the function, as with the original.
export { robotsParser as default, robotsParser as "module.exports" };
