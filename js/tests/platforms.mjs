/** Platforms and bundlers, where `cargo xtask test` could install them. */

import { cpSync, existsSync, mkdirSync, rmSync } from "node:fs";
import path from "node:path";
import { ROOT } from "./reference.mjs";

export const PACKAGE = path.join(ROOT, "js");
const FOLDER = path.join(ROOT, "target/js/platforms");

/** Returns a program of a package of the registry, and the option of a test that needs it. */
export function program(name) {
  const file = path.join(FOLDER, "node_modules/.bin", name);
  return [file, { skip: existsSync(file) ? false : `${name} is not there; cargo xtask test installs it` }];
}

/** Returns an empty folder. */
export function empty(name) {
  const folder = path.join(FOLDER, name);
  rmSync(folder, { recursive: true, force: true });
  mkdirSync(folder, { recursive: true });
  return folder;
}

/** Returns an empty folder in which the package is installed. */
export function project(name) {
  const folder = empty(name);
  const installed = path.join(folder, "node_modules/comity");
  for (const name of ["package.json", "dist"]) cpSync(path.join(PACKAGE, name), path.join(installed, name), { recursive: true });
  return folder;
}
