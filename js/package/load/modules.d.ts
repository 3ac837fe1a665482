// Each of these is one of the files in this folder, by the platform: see `imports` in package.json.
declare module "#check" {
  export function load(): WebAssembly.Exports;
}
declare module "#lint" {
  export function load(): WebAssembly.Exports;
}
declare module "#diff" {
  export function load(): WebAssembly.Exports;
}
// The module `check` as text, which `inline.mjs` writes.
declare module "*/comity-check.base64.js" {
  const text: string;
  export default text;
}
