// Checks whether two paths name the same file, so that a command does not overwrite its own input.
import { realpath, stat } from "node:fs/promises";
import { basename, dirname, join, resolve } from "node:path";

/** True if both paths lead, through links, to the same regular file, or to the same name of a missing file. */
export async function isSameFile(one: string, other: string): Promise<boolean> {
  const [first, second] = await Promise.all([readFileIdentity(one), readFileIdentity(other)]);
  return first !== undefined && first === second;
}

async function readFileIdentity(path: string): Promise<string | undefined> {
  const stats = await stat(path).catch(() => undefined);
  if (stats !== undefined) return stats.isFile() ? `${stats.dev} ${stats.ino}` : undefined;
  const absolutePath = resolve(path);
  const folder = await realpath(dirname(absolutePath)).catch(() => dirname(absolutePath));
  return join(folder, basename(absolutePath));
}
