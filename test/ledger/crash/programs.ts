// Bundles the programs that tests start as separate processes, each into one file: dozens of them are started, and
// loading every module of the ledger would take most of their time.
import { symlinkSync } from "node:fs";
import { basename, join } from "node:path";
import { fileURLToPath } from "node:url";
import { build } from "esbuild";

const NODE_MODULES = fileURLToPath(new URL("../../../node_modules", import.meta.url));

/** Bundles programs, named by their paths in this folder, into `folder`; returns their paths in the same order. */
export async function buildPrograms(folder: string, ...names: string[]): Promise<string[]> {
  await build({
    entryPoints: names.map((name) => fileURLToPath(new URL(`${name}.ts`, import.meta.url))),
    entryNames: "[name]",
    outdir: folder,
    outExtension: { ".js": ".mjs" },
    bundle: true,
    platform: "node",
    format: "esm",
    conditions: ["koine-source"],
    // Loaded on demand, as for users of the package.
    external: ["pg"],
    logLevel: "error",
  });
  symlinkSync(NODE_MODULES, join(folder, "node_modules"), "junction");
  return names.map((name) => join(folder, `${basename(name)}.mjs`));
}
