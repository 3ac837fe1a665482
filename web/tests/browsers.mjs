/** The options with which Puppeteer starts the browsers of the tests: of the page, of the site and of the npm package. */

import { existsSync } from "node:fs";

/** The engine without the windows of a browser comes first: the tests of the page take half the processor time with it. */
const PROGRAMS = ["/usr/bin/chromium-headless-shell", "/usr/bin/chromium"];

/** Chromium, in which loopback alone can be reached: everything else goes to a proxy that is not there. */
export const CHROMIUM = {
  browser: "chrome",
  executablePath: process.env.CHROMIUM ?? PROGRAMS.find((program) => existsSync(program)) ?? PROGRAMS[0],
  headless: "shell",
  args: ["--no-sandbox", "--disable-gpu", "--disable-background-networking", "--proxy-server=127.0.0.1:9", "--proxy-bypass-list=127.0.0.1"],
};

/** Firefox, in which loopback alone can be reached. */
export const FIREFOX = {
  browser: "firefox",
  executablePath: process.env.FIREFOX ?? "/usr/bin/firefox-esr",
  headless: true,
  extraPrefsFirefox: {
    "network.proxy.type": 1,
    "network.proxy.http": "127.0.0.1",
    "network.proxy.http_port": 9,
    "network.proxy.ssl": "127.0.0.1",
    "network.proxy.ssl_port": 9,
    "network.proxy.no_proxies_on": "127.0.0.1,localhost",
    "network.proxy.allow_hijacking_localhost": false,
  },
};

/** Returns the reason why tests cannot run in a browser here; false if they can. */
export function missing({ executablePath }) {
  return existsSync(executablePath) ? false : `${executablePath} is not there: cargo xtask test installs it`;
}
