/** Chromium, which the tests of the page, of the site and of the npm package start. */

import { existsSync } from "node:fs";

/** The engine without the windows of a browser comes first: the tests of the page take half the processor time with it. */
const PROGRAMS = ["/usr/bin/chromium-headless-shell", "/usr/bin/chromium"];

export const CHROMIUM = process.env.CHROMIUM ?? PROGRAMS.find((program) => existsSync(program)) ?? PROGRAMS[0];

/** The reason why the tests cannot run here; false if they can. `cargo xtask test` installs Chromium. */
export const missing = existsSync(CHROMIUM) ? false : `${CHROMIUM} is not there: install chromium-headless-shell`;

/** The options of Puppeteer that start it. All but loopback goes to a proxy that is not there. */
export const LAUNCH = {
  executablePath: CHROMIUM,
  headless: "shell",
  args: ["--no-sandbox", "--disable-gpu", "--disable-background-networking", "--proxy-server=127.0.0.1:9", "--proxy-bypass-list=127.0.0.1"],
};
