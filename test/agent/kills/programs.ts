// The programs of a campaign, each bundled into one file: dozens of processes are started, and loading modules is most of
// what such a process does.
import { symlinkSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { build } from "esbuild";

const NODE_MODULES = fileURLToPath(new URL("../../../node_modules", import.meta.url));
const NAMES = ["worker", "effect-program"] as const;

export interface Programs {
  worker: string;
  mcp: string;
}

export async function buildPrograms(folder: string): Promise<Programs> {
  await build({
    entryPoints: NAMES.map((name) => fileURLToPath(new URL(`${name}.ts`, import.meta.url))),
    outdir: folder,
    outExtension: { ".js": ".mjs" },
    bundle: true,
    platform: "node",
    format: "esm",
    conditions: ["koine-source"],
    // Packages of the older kind ask for their modules while they run.
    banner: { js: 'import { createRequire } from "node:module"; const require = createRequire(import.meta.url);' },
    external: ["pg"],
    logLevel: "error",
  });
  symlinkSync(NODE_MODULES, join(folder, "node_modules"), "junction");
  return { worker: join(folder, "worker.mjs"), mcp: join(folder, "effect-program.mjs") };
}
