/** Modules of Node for tests in workerd, which lacks them. Tests of the bundled files are kept until they are run. */

const tests = [];

export function test(name, ...rest) {
  const [options, call] = rest.length === 1 ? [{}, rest[0]] : rest;
  if (!options.skip) tests.push([name, call]);
}

// Of `node:vm` and `node:child_process`.
function unavailable() {
  throw UNAVAILABLE;
}
const UNAVAILABLE = new Error("workerd has neither processes nor other realms");
export { unavailable as execFileSync };
export default { runInNewContext: unavailable };

/** Runs all tests. Returns the names of those that passed, of those that need what workerd has not, and the failures. */
export async function run() {
  const found = { passed: [], unavailable: [], failed: [] };
  for (const [name, call] of tests) {
    try {
      await call();
      found.passed.push(name);
    } catch (error) {
      if (error === UNAVAILABLE) found.unavailable.push(name);
      else found.failed.push(`${name}: ${error.stack}`);
    }
  }
  return found;
}
