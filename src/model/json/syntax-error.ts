// Creates the error for text that is not JSON, with line, column and an excerpt that are the same on every engine.

import { JsonError } from "../errors.ts";
import { MAX_DEPTH, shortPointer } from "./short-pointer.ts";
import { scanJson } from "./scanner.ts";
import type { OpenFrame } from "./scanner.ts";

/** Returns the error for a text that is not JSON or is nested too deeply; undefined if the text is valid. */
export function findSyntaxError(text: string, cause?: unknown): JsonError | undefined {
  const scan = scanJson(text);
  if (scan.stop === "complete") return undefined;
  const path = shortPointer(scan.frames.map((frame) => readFrameKey(text, frame)).filter((key) => key !== undefined));
  const options = cause === undefined ? undefined : { cause };
  const where = describePosition(text, scan.at);
  if (scan.stop === "too-deep") {
    const remedy = "Flatten it, or carry the inner part as a string of JSON.";
    return new JsonError("too-deep", path, `JSON is nested deeper than ${MAX_DEPTH} levels at ${where}. ${remedy}`);
  }
  const message = `Invalid JSON at ${where}: expected ${scan.expected}, found ${describeCharacter(text, scan.at)}${quoteExcerpt(text, scan.at)}`;
  return new JsonError("invalid-json", path, message, options);
}

function readFrameKey(text: string, frame: OpenFrame): string | number | undefined {
  if (frame.array) return frame.index;
  return frame.keyStart < 0 ? undefined : String(JSON.parse(text.slice(frame.keyStart, frame.keyEnd)));
}

function describePosition(text: string, at: number): string {
  let line = 1;
  let start = 0;
  for (let next = text.indexOf("\n"); next >= 0 && next < at; next = text.indexOf("\n", start)) {
    line++;
    start = next + 1;
  }
  return `line ${line}, column ${at - start + 1}`;
}

function describeCharacter(text: string, at: number): string {
  const code = text.codePointAt(at);
  if (code === undefined) return "the end of the text";
  if (code > 32 && code < 127) return JSON.stringify(text[at]);
  return `U+${code.toString(16).toUpperCase().padStart(4, "0")}`;
}

function quoteExcerpt(text: string, at: number): string {
  if (text.length === 0) return "";
  return ` (near ${JSON.stringify(text.slice(Math.max(0, at - 20), at + 20))})`;
}
