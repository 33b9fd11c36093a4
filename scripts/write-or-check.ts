// Writes a generated file, or compares it with --check.
import { existsSync, readFileSync, writeFileSync } from "node:fs";

/** Writes the file; with --check, sets the exit code 1 if the file is out of date. */
export function writeOrCheck(name: string, content: string, command: string): void {
  const path = new URL(`../${name}`, import.meta.url);
  if (!process.argv.includes("--check")) {
    writeFileSync(path, content);
    console.log(`wrote ${name}`);
  } else if (!existsSync(path) || readFileSync(path, "utf8") !== content) {
    console.error(`${name} is out of date; run \`${command}\``);
    process.exitCode = 1;
  } else {
    console.log(`${name} is up to date`);
  }
}
