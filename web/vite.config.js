import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { defineConfig } from "vite";

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

export default defineConfig({
  plugins: [licenses()],
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
