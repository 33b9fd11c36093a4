// Whether two paths lead to one file, so that nothing is written over by accident.
import { realpath, stat } from "node:fs/promises";
import { basename, dirname, join, resolve } from "node:path";

/** Links are followed; a file that is not there yet is told by its folder. Devices can be written to by many. */
export async function isSameFile(one: string, other: string): Promise<boolean> {
  const [first, second] = await Promise.all([identify(one), identify(other)]);
  return first !== undefined && first === second;
}

async function identify(path: string): Promise<string | undefined> {
  const there = await stat(path).catch(() => undefined);
  if (there !== undefined) return there.isFile() ? `${there.dev} ${there.ino}` : undefined;
  const whole = resolve(path);
  const folder = await realpath(dirname(whole)).catch(() => dirname(whole));
  return join(folder, basename(whole));
}
