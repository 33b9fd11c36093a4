// Converts a JSON value to an equivalent JavaScript literal in which numbers have their exact digits.
import { listExactNumbers } from "koine";
import { joinPointer } from "../../json/json-pointers.ts";

const IDENTIFIER = /^[A-Za-z_$][\w$]*$/;
/** Lists and objects up to this length are written on one line. */
const MAX_LINE_LENGTH = 72;

export function toLiteral(value: unknown, indent = ""): string {
  return writeValue(value, indent, "", new Map(listExactNumbers(value).map(({ path, text }) => [path, text])));
}

function writeValue(value: unknown, indent: string, path: string, exact: ReadonlyMap<string, string>): string {
  if (typeof value === "number") {
    const digits = exact.get(path);
    // As a number literal, JavaScript would round these digits; `JSON.rawJSON` preserves them.
    return digits === undefined ? JSON.stringify(value) : `JSON.rawJSON("${digits}")`;
  }
  if (typeof value !== "object" || value === null) return JSON.stringify(value) ?? "undefined";
  const inner = `${indent}  `;
  const entries = Object.entries(value).filter(([, each]) => each !== undefined);
  const items = entries.map(([key, each]) => {
    const literal = writeValue(each, inner, path + joinPointer([key]), exact);
    return Array.isArray(value) ? literal : `${toKeyLiteral(key)}: ${literal}`;
  });
  const [open, close] = Array.isArray(value) ? ["[", "]"] : ["{", "}"];
  if (items.length === 0) return open + close;
  const pad = open === "{" ? " " : "";
  const line = `${open}${pad}${items.join(", ")}${pad}${close}`;
  if (line.length <= MAX_LINE_LENGTH && !line.includes("\n")) return line;
  return `${open}\n${items.map((item) => `${inner}${item},\n`).join("")}${indent}${close}`;
}

/**
 * Returns the code of an object key. `__proto__` is a computed key, because as a plain key it would set the prototype.
 */
function toKeyLiteral(key: string): string {
  if (key === "__proto__") return `["__proto__"]`;
  return IDENTIFIER.test(key) ? key : JSON.stringify(key);
}
