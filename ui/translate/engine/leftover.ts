// How well a dialect's reading fits: what it had no word for is left over. The true reader leaves the least.
import { isObject } from "koine";

const OPAQUE = 10;
const SILENT = 10;

/** 0 where everything was understood. */
export function leftoverOf(canonical: unknown): number {
  if (Array.isArray(canonical)) return canonical.reduce<number>((sum, each) => sum + leftoverOf(each), 0);
  if (!isObject(canonical)) return 0;
  let sum = canonical["type"] === "opaque" ? OPAQUE : 0;
  // A message in which nothing was heard.
  if (typeof canonical["role"] === "string" && isEmpty(canonical["parts"])) sum += SILENT;
  for (const [key, value] of Object.entries(canonical)) {
    if (key === "extra") sum += leavesOf(value);
    // Arguments, outputs and schemas are anybody's.
    else if (!FOREIGN.has(key)) sum += leftoverOf(value);
  }
  return sum;
}

const FOREIGN: ReadonlySet<string> = new Set(["input", "output", "inputSchema", "schema", "value", "raw", "metadata"]);

function isEmpty(parts: unknown): boolean {
  return Array.isArray(parts) && parts.length === 0;
}

function leavesOf(value: unknown): number {
  if (typeof value !== "object" || value === null) return 1;
  const inside = Object.values(value);
  return inside.length === 0 ? 1 : inside.reduce<number>((sum, each) => sum + leavesOf(each), 0);
}
