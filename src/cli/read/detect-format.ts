// Detects the format of an input (JSON, JSONL or server-sent events) from the file name or the first lines.
import { CliError } from "../exit.ts";

export const FORMATS = ["json", "jsonl", "sse"] as const;
export type InputFormat = (typeof FORMATS)[number];

const FORMATS_BY_EXTENSION: Readonly<Record<string, InputFormat>> = { jsonl: "jsonl", ndjson: "jsonl", sse: "sse" };

/**
 * The maximum length of the head, the beginning of the input from which the format is detected. A head of this length
 * is normally enough to decide the format.
 */
export const MAX_HEAD_LENGTH = 1 << 16;

export function detectFormatByName(name: string): InputFormat | undefined {
  const extension = /\.(\w+)$/.exec(name)?.[1]?.toLowerCase() ?? "";
  return Object.hasOwn(FORMATS_BY_EXTENSION, extension) ? FORMATS_BY_EXTENSION[extension] : undefined;
}

/**
 * Detects the format from the head (the beginning) of an input; undefined if a longer head is needed. `isAll` is true
 * if the head is the complete input.
 */
export function detectFormatByText(head: string, isAll: boolean): InputFormat | undefined {
  const text = head.trimStart();
  if (text === "") return isAll || head.length >= MAX_HEAD_LENGTH ? "jsonl" : undefined;
  const firstCharacter = text[0];
  if (firstCharacter !== "{" && firstCharacter !== "[")
    return /^(data|event|id|retry)?:/.test(text) ? "sse" : detectSseOrJsonl(text, isAll);
  const [first = "", second, third] = text.split("\n", 3).map((line) => line.trim());
  if (second === undefined) return isAll || head.length >= MAX_HEAD_LENGTH ? "json" : undefined;
  if (firstCharacter === "{" && first !== "{") {
    if (isJson(first)) return "jsonl";
    // If the second line is valid JSON, the input is a JSONL file with a broken first line, not a single document.
    if (third !== undefined || isAll) return second.startsWith("{") && isJson(second) ? "jsonl" : "json";
    return head.length >= MAX_HEAD_LENGTH ? "json" : undefined;
  }
  if (firstCharacter === "[" && isJson(first)) {
    if (text.slice(text.indexOf("\n")).trim() !== "") return "jsonl";
    return isAll ? "json" : undefined;
  }
  return "json";
}

/**
 * Decides for a head that begins neither with `{` or `[` nor with an SSE field: undefined if it is so short that it may
 * be the cut-off name of an SSE field, otherwise "jsonl".
 */
function detectSseOrJsonl(text: string, isAll: boolean): InputFormat | undefined {
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

/** Returns the bytes without a UTF-8 byte order mark. Throws for UTF-16 and compressed input. */
export function stripByteOrderMark(head: Buffer, name: string): Buffer {
  if (head[0] === 0xef && head[1] === 0xbb && head[2] === 0xbf) return head.subarray(3);
  if ((head[0] === 0xff && head[1] === 0xfe) || (head[0] === 0xfe && head[1] === 0xff)) {
    throw new CliError("io", `"${name}" is UTF-16; save it as UTF-8 first.`);
  }
  if (head[0] === 0x1f && head[1] === 0x8b) {
    throw new CliError("io", `"${name}" is compressed; unpack it first: gunzip -c "${name}" | koine …`);
  }
  return head;
}
