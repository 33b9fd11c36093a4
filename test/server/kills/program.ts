// `koine` in one file: dozens of processes are started, and loading modules is most of what such a process does at first.
import { cpSync, mkdirSync, symlinkSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { bundle } from "../../agent/support/bundle.ts";

const here = (path: string): string => fileURLToPath(new URL(path, import.meta.url));

/** Builds it into a folder, as the package would lie there. */
export async function buildProgram(folder: string): Promise<string> {
  const bin = join(folder, "dist", "cli");
  mkdirSync(bin, { recursive: true });
  cpSync(here("../../../package.json"), join(folder, "package.json"));
  // The driver of PostgreSQL is loaded when it is needed, as by anybody who uses the package.
  symlinkSync(here("../../../node_modules"), join(folder, "node_modules"), "junction");
  const [program = ""] = await bundle(bin, [new URL("../../../src/cli/main.ts", import.meta.url)]);
  return program;
}
