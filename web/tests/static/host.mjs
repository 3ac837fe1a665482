/** The page without a service: its files, a plain host for them, and its worker outside of a browser. */

import { existsSync, readdirSync, readFileSync } from "node:fs";
import http from "node:http";
import path from "node:path";
import vm from "node:vm";

export const ROOT = path.resolve(import.meta.dirname, "../../..");

/** The folder of the built page: that of `cargo xtask static`, or `STATIC`. */
export const BUILT = process.env.STATIC ?? path.resolve(ROOT, process.env.CARGO_TARGET_DIR ?? "target", "static");

if (!existsSync(BUILT)) throw new Error(`${BUILT} is not there: cargo xtask static`);

/** Returns the bytes of the only file among the assets whose name has this form. */
export function asset(form) {
  const names = readdirSync(path.join(BUILT, "assets")).filter((name) => form.test(name));
  if (names.length !== 1) throw new Error(`expected one file like ${form}, found ${names}`);
  return readFileSync(path.join(BUILT, "assets", names[0]));
}

/** The module is sent with the type of unknown files, as by many hosts. */
const TYPES = { ".html": "text/html", ".js": "text/javascript", ".css": "text/css", ".svg": "image/svg+xml", ".png": "image/png", ".woff2": "font/woff2", ".txt": "text/plain" };

/** The policy that a strict host may send. */
const POLICY = "default-src 'none'; script-src 'self' 'wasm-unsafe-eval'; style-src 'self'; img-src 'self'; connect-src 'self'; worker-src 'self'";

/** Serves the files of a folder below a path, and records the requests. Without a policy, none is sent. */
export async function host({ policy = POLICY, root = BUILT, base = "/some/folder/" } = {}) {
  const asked = [];
  const server = http.createServer(({ url, method, headers }, response) => {
    asked.push({ url, method, headers });
    const name = decodeURI(url.split("?")[0]).replace(base, "");
    const file = path.join(root, name === "" || name.endsWith("/") ? `${name}index.html` : name);
    if (policy) response.setHeader("content-security-policy", policy);
    if (!url.startsWith(base) || !existsSync(file)) return response.writeHead(404).end();
    response.setHeader("content-type", TYPES[path.extname(file)] ?? "application/octet-stream");
    return response.end(readFileSync(file));
  });
  await new Promise((resolve) => server.listen(0, "127.0.0.1", resolve));
  return {
    url: `http://127.0.0.1:${server.address().port}${base}`,
    asked,
    stop() {
      server.closeAllConnections();
      return new Promise((resolve) => server.close(resolve));
    },
  };
}

/** Returns a function that asks a worker of the page with one of its modules. It runs in a context of its own. */
export async function worker(name = "tester") {
  const replies = [];
  const context = vm.createContext({ WebAssembly, URL, TextEncoder, TextDecoder, Uint8Array, DataView, atob, btoa, postMessage: (reply) => replies.push(reply) });
  vm.runInContext(asset(/^worker.*\.js$/).toString(), context);
  const module = asset(new RegExp(`^${name}.*\\.wasm$`));
  await context.onmessage({ data: module.buffer.slice(module.byteOffset, module.byteOffset + module.length) });
  if (replies.pop() !== null) throw new Error("the worker does not start");
  return (path, question) => {
    context.onmessage({ data: { path, question } });
    const { status, json } = replies.pop();
    return { status, json: JSON.parse(new TextDecoder().decode(json)) };
  };
}
