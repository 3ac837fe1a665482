import { readdirSync, readFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { defaultClientConditions, defineConfig } from "vite";

/** The libraries in the bundle ask for their licenses to go with them. */
function licenses() {
  return {
    name: "licenses",
    generateBundle(_options, bundle) {
      const packages = new Set();
      for (const chunk of Object.values(bundle)) {
        for (const id of Object.keys(chunk.modules ?? {})) {
          const name = /node_modules\/((?:@[^/]+\/)?[^/]+)\//.exec(id.replaceAll("\\", "/"))?.[1];
          if (name) packages.add(name);
        }
      }
      const texts = [...packages].sort().map((name) => {
        const folder = join(import.meta.dirname, "node_modules", name);
        const file = readdirSync(folder).find((file) => /^licen[cs]e/i.test(file));
        if (!file) throw new Error(`${name} has no license file`);
        return `${name}\n\n${readFileSync(join(folder, file), "utf8").trim()}\n`;
      });
      this.emitFile({ type: "asset", fileName: "licenses.txt", source: texts.join(`\n${"-".repeat(72)}\n\n`) });
    },
  };
}

/**
 * `PAGE_STATIC` names a WebAssembly module: then the page needs no service, and is static files for any host. `PAGE_CHANGES`
 * names the module of the views Mistakes and Write.
 */
const isStatic = process.env.PAGE_STATIC !== undefined;
const module = (name, file) => ({ find: new RegExp(`^${name}[.]wasm`), replacement: resolve(import.meta.dirname, file) });

/** The policy of that page. The host may send one of its own, which must allow as much. */
const POLICY = [
  "default-src 'none'",
  "script-src 'self' 'wasm-unsafe-eval'",
  ...["style", "img", "connect", "worker"].map((kind) => `${kind}-src 'self'`),
  "base-uri 'none'",
  "form-action 'none'",
].join("; ");

/** What is shown until the page runs. Opened as a file, it never does: browsers load no modules from files. */
const UNSERVED = `<div class="unserved">
        <p>
          If this text stays, the tester does not run here. A web server must deliver it: browsers do not run it as a file
          on the disk (<code>file://</code>). <code>python3 -m http.server</code> in its folder is enough.
        </p>
      </div>`;

/** Adds the policy and the text to the page without a service. */
function served() {
  return {
    name: "served",
    transformIndexHtml: (html) =>
      html
        .replace("<head>", `<head>\n    <meta http-equiv="Content-Security-Policy" content="${POLICY}" />`)
        .replace('<div id="page"></div>', `<div id="page">\n      ${UNSERVED}\n    </div>`),
  };
}

export default defineConfig({
  plugins: isStatic ? [licenses(), served()] : [licenses()],
  // Below any path.
  base: isStatic ? "./" : "/",
  resolve: {
    alias: isStatic ? [module("tester", process.env.PAGE_STATIC), module("changes", process.env.PAGE_CHANGES)] : [],
    conditions: [...(isStatic ? ["static"] : []), ...defaultClientConditions],
  },
  worker: { format: "es" },
  build: {
    // One page loads all of it: parts would be requests.
    chunkSizeWarningLimit: 700,
    outDir: process.env.PAGE_OUT ?? "../crates/comity-server/page",
    emptyOutDir: true,
    target: ["chrome123", "firefox121", "safari17.5"],
    modulePreload: { polyfill: false },
    assetsInlineLimit: 0,
    reportCompressedSize: false,
  },
});
