// Writes a generated file or, with --check, checks that the file is up to date.
import { existsSync, readFileSync, writeFileSync } from "node:fs";

/** Writes the file. With --check, only compares the file and sets the exit code 1 if the file is out of date. */
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
