// Reads the version of Koine from package.json.
import { readFile } from "node:fs/promises";

export async function readVersion(): Promise<string> {
  // package.json is two folders above this module, both in src/cli and in dist/cli.
  const text = await readFile(new URL("../../package.json", import.meta.url), "utf8");
  return (JSON.parse(text) as { version: string }).version;
}
