// Bundles `koine` into one file, because an episode starts dozens of processes and most of their start is loading
// modules.
import { cpSync, mkdirSync, symlinkSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { bundle } from "../../agent/support/bundle.ts";

const here = (path: string): string => fileURLToPath(new URL(path, import.meta.url));

/** Builds the program into a folder, laid out like the package. */
export async function buildProgram(folder: string): Promise<string> {
  const bin = join(folder, "dist", "cli");
  mkdirSync(bin, { recursive: true });
  cpSync(here("../../../package.json"), join(folder, "package.json"));
  // The PostgreSQL driver is loaded on demand from node_modules.
  symlinkSync(here("../../../node_modules"), join(folder, "node_modules"), "junction");
  const [program = ""] = await bundle(bin, [new URL("../../../src/cli/main.ts", import.meta.url)]);
  return program;
}
