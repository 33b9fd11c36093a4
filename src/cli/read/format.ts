// How records lie in a source: JSON, a line each, or server-sent events. The ending of a name tells, else the first lines.
import { CliError } from "../exit.ts";

export const FORMATS = ["json", "jsonl", "sse"] as const;
export type Format = (typeof FORMATS)[number];

const ENDINGS: Readonly<Record<string, Format>> = { jsonl: "jsonl", ndjson: "jsonl", sse: "sse" };

/** How much may be looked at before a decision. */
export const ENOUGH = 1 << 16;

export function formatOfName(name: string): Format | undefined {
  const ending = /\.(\w+)$/.exec(name)?.[1]?.toLowerCase() ?? "";
  return Object.hasOwn(ENDINGS, ending) ? ENDINGS[ending] : undefined;
}

/** What the beginning of a source tells; undefined where more of it could tell more. */
export function formatOfText(head: string, isAll: boolean): Format | undefined {
  const text = head.trimStart();
  if (text === "") return isAll || head.length >= ENOUGH ? "jsonl" : undefined;
  const sign = text[0];
  if (sign !== "{" && sign !== "[") return /^(data|event|id|retry)?:/.test(text) ? "sse" : sseOrLines(text, isAll);
  const [first = "", second, third] = text.split("\n", 3).map((line) => line.trim());
  if (second === undefined) return isAll || head.length >= ENOUGH ? "json" : undefined;
  if (sign === "{" && first !== "{") {
    if (isJson(first)) return "jsonl";
    // One broken line at the beginning does not make a document of the rest.
    if (third !== undefined || isAll) return second.startsWith("{") && isJson(second) ? "jsonl" : "json";
    return head.length >= ENOUGH ? "json" : undefined;
  }
  if (sign === "[" && isJson(first)) {
    if (text.slice(text.indexOf("\n")).trim() !== "") return "jsonl";
    return isAll ? "json" : undefined;
  }
  return "json";
}

/** The first field of an event may be cut off. */
function sseOrLines(text: string, isAll: boolean): Format | undefined {
  return isAll || text.length > "event:".length ? "jsonl" : undefined;
}

function isJson(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}

/** The bytes without a byte order mark. Other encodings than UTF-8 are told by theirs. */
export function withoutMark(head: Buffer, name: string): Buffer {
  if (head[0] === 0xef && head[1] === 0xbb && head[2] === 0xbf) return head.subarray(3);
  if ((head[0] === 0xff && head[1] === 0xfe) || (head[0] === 0xfe && head[1] === 0xff)) {
    throw new CliError("io", `"${name}" is UTF-16; save it as UTF-8 first.`);
  }
  if (head[0] === 0x1f && head[1] === 0x8b) {
    throw new CliError("io", `"${name}" is compressed; unpack it first: gunzip -c "${name}" | koine …`);
  }
  return head;
}
