// Reads the version of Koine from package.json.
import { readFile } from "node:fs/promises";

export async function readVersion(): Promise<string> {
  // package.json is two folders up, both in src and in dist.
  const text = await readFile(new URL("../../package.json", import.meta.url), "utf8");
  return (JSON.parse(text) as { version: string }).version;
}
