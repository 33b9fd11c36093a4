// Bundles programs that tests start as processes, each into one file: dozens are started, and loading modules would take
// most of their time.
import { basename, join } from "node:path";
import { fileURLToPath } from "node:url";
import { build } from "esbuild";

/** Bundles programs into a folder, and returns their paths in the same order. */
export async function bundle(folder: string, programs: readonly URL[]): Promise<string[]> {
  const files = programs.map((program) => fileURLToPath(program));
  await build({
    entryPoints: files,
    outdir: folder,
    outExtension: { ".js": ".mjs" },
    bundle: true,
    platform: "node",
    format: "esm",
    conditions: ["koine-source"],
    // CommonJS packages require their modules at run time.
    banner: { js: 'import { createRequire } from "node:module"; const require = createRequire(import.meta.url);' },
    external: ["pg"],
    logLevel: "error",
  });
  return files.map((file) => join(folder, `${basename(file, ".ts")}.mjs`));
}
