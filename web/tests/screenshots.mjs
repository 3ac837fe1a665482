/**
 * Makes the pictures of the documentation again: `npm run screenshots`, or only those of some scenes:
 * `npm run screenshots -- tester lint`. `OUT` names another folder.
 *
 * Each scene is shown in the light and the dark theme on a desktop, and on a phone, with the fonts of the package
 * fonts-dejavu-core. pngquant makes them small.
 */

import { spawnSync } from "node:child_process";
import { existsSync, mkdirSync, mkdtempSync, readdirSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { SCENES, sites } from "./scenes.mjs";
import { browser, service, Tester } from "./harness.mjs";

const OUT = path.resolve(process.env.OUT ?? path.resolve(import.meta.dirname, "../../docs/images"));

/** The maximum size of a picture, and of all together. */
const MAX_BYTES = 120_000;
const MAX_ALL_BYTES = 5_000_000;

const DESKTOP = { width: 1440, height: 900 };
const PHONE = { width: 390, height: 844, hasTouch: true, isMobile: true };

/** The number of pages that are prepared at the same time. */
const AT_ONCE = 2;

/** The height of the pictures in the gallery. */
const HEIGHT = 280;

let failures = 0;

/** Opens the page of a scene, and prepares what it shows. */
async function openScene(scene, options) {
  const { fragment = "", forgives = null } = scene;
  const tester = await Tester.open(chrome, comity.url, { reducedMotion: "reduce", colorScheme: "light", fragment, forgives, ...options });
  await tester.page.locator("#reasoning .rules").waitFor();
  await tester.page.locator(".cm-lint-marker-warning").waitFor();
  await scene.prepare?.(tester, { isPhone: options === PHONE });
  return tester;
}

/** Saves what is visible, and makes the file small. */
async function save(tester, name) {
  await tester.page.waitForTimeout(700);
  if (tester.page.url().includes(comity.url)) await tester.settled();
  const file = path.join(OUT, `${name}.png`);
  await tester.page.screenshot({ path: file, caret: "hide" });
  // The pages have few colors. With fewer than this, amber turns into red.
  const small = spawnSync("pngquant", ["--force", "--skip-if-larger", "--strip", "--speed", "1", "--nofs", "--output", file, "96", file]);
  if (small.error) throw new Error("pngquant is not there: install the package pngquant");
  const { size } = statSync(file);
  console.log(`${name}.png ${size} bytes`);
  if (size > MAX_BYTES) throw new Error(`${name}.png has ${size} bytes, more than ${MAX_BYTES}`);
}

async function onDesktop(scene) {
  const tester = await openScene(scene, DESKTOP);
  await save(tester, `${scene.name}-light`);
  await tester.page.emulateMedia({ colorScheme: "dark" });
  await save(tester, `${scene.name}-dark`);
  await tester.close();
}

async function onPhone(scene) {
  const tester = await openScene(scene, PHONE);
  const { at = ".views" } = scene;
  await tester.page.locator(at).first().evaluate((element) => element.scrollIntoView({ block: "start" }));
  await save(tester, `${scene.name}-phone`);
  await tester.close();
}

const wanted = process.argv.slice(2);
const chosen = wanted.length === 0 ? SCENES : SCENES.filter(({ name }) => wanted.includes(name));
const unknown = wanted.filter((name) => !SCENES.some((scene) => scene.name === name));
if (unknown.length > 0) throw new Error(`expected names of scenes, found ${unknown.join(", ")}; they are ${SCENES.map(({ name }) => name).join(", ")}`);

/** The only fonts, so that the pictures do not depend on what else is installed. */
const FONTS = "/usr/share/fonts/truetype/dejavu";
if (!existsSync(FONTS)) throw new Error(`${FONTS} is not there: install the package fonts-dejavu-core`);
const own = mkdtempSync(path.join(tmpdir(), "screenshots-"));
const fontconfig = path.join(own, "fonts.conf");
writeFileSync(fontconfig, `<fontconfig><dir>${FONTS}</dir><cachedir>${own}</cachedir><include>/etc/fonts/conf.d</include></fontconfig>`);
process.env.FONTCONFIG_FILE = fontconfig;

mkdirSync(OUT, { recursive: true });
const all = await sites();
const chrome = await browser();
const comity = await service({ sites: all.map(({ port }) => port) });

const tasks = chosen.flatMap((scene) => [
  [scene.name, () => onDesktop(scene)],
  [`${scene.name} on a phone`, () => onPhone(scene)],
]);
async function work() {
  for (let task = tasks.shift(); task; task = tasks.shift()) {
    const [name, make] = task;
    await make().catch((error) => {
      failures += 1;
      console.error(`${name}: ${error.message}`);
    });
  }
}
await Promise.all(Array.from({ length: AT_ONCE }, work));

// Pictures of scenes that are gone would stay forever.
const known = new Set(SCENES.flatMap(({ name }) => ["light", "dark", "phone"].map((form) => `${name}-${form}.png`)));
for (const file of readdirSync(OUT)) if (file.endsWith(".png") && !known.has(file)) rmSync(path.join(OUT, file));

/** The text for people who cannot see the pictures of each form. */
const FORMS = [["light", ""], ["dark", ", in the dark theme"], ["phone", ", on a phone"]];
const gallery = SCENES.map(({ name, shows }) => {
  const pictures = FORMS.map(([form, where]) => `<img src="${name}-${form}.png" height="${HEIGHT}" alt="${shows}${where}">`);
  return `## ${shows}\n\n<p>\n${pictures.join("\n")}\n</p>\n`;
});
const introduction =
  "# Every view of the tester\n\nEach is shown in the light theme, in the dark theme, and on a phone. `npm --prefix web run screenshots` makes this page\nand its pictures again.\n";
if (wanted.length === 0) writeFileSync(path.join(OUT, "README.md"), [introduction, ...gallery].join("\n"));
const sum = readdirSync(OUT).reduce((bytes, file) => bytes + statSync(path.join(OUT, file)).size, 0);
console.log(`${readdirSync(OUT).length} pictures, ${sum} bytes${sum > MAX_ALL_BYTES ? `: more than ${MAX_ALL_BYTES}` : ""}`);

await chrome.close();
await comity.stop();
rmSync(own, { recursive: true });
for (const one of all) await one.stop();
process.exitCode = failures > 0 || sum > MAX_ALL_BYTES ? 1 : 0;
