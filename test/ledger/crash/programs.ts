// The programs that tests start as processes of their own, each bundled into one file: dozens of them are started, and
// loading every module of the ledger is most of what such a process does.
import { symlinkSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { build } from "esbuild";

const NODE_MODULES = fileURLToPath(new URL("../../../node_modules", import.meta.url));

/** Bundles programs of this folder into another one, and gives their paths in the same order. */
export async function buildPrograms(folder: string, ...names: string[]): Promise<string[]> {
  await build({
    entryPoints: names.map((name) => fileURLToPath(new URL(`${name}.ts`, import.meta.url))),
    outdir: folder,
    outExtension: { ".js": ".mjs" },
    bundle: true,
    platform: "node",
    format: "esm",
    conditions: ["koine-source"],
    // Loaded when it is needed, as by anybody who uses the package.
    external: ["pg"],
    logLevel: "error",
  });
  symlinkSync(NODE_MODULES, join(folder, "node_modules"), "junction");
  return names.map((name) => join(folder, `${name}.mjs`));
}
