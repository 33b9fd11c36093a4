// Which version of Koine this is.
import { readFile } from "node:fs/promises";

export async function readVersion(): Promise<string> {
  // Two folders up, from the source as from what is built.
  const text = await readFile(new URL("../../package.json", import.meta.url), "utf8");
  // Koine's own package.json has a version.
  return (JSON.parse(text) as { version: string }).version;
}
