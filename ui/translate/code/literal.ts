// A JSON value as a JavaScript literal that means exactly the same, digits included.
import { exactNumbers } from "koine";
import { pointerOf } from "../../json/pointers.ts";

const IDENTIFIER = /^[A-Za-z_$][\w$]*$/;
/** What fits stays on one line. */
const NARROW = 72;

export function literalOf(value: unknown, indent = ""): string {
  return write(value, indent, "", new Map(exactNumbers(value).map(({ path, text }) => [path, text])));
}

function write(value: unknown, indent: string, path: string, exact: ReadonlyMap<string, string>): string {
  if (typeof value === "number") {
    const digits = exact.get(path);
    // A plain number would be rounded; this one goes into JSON as it stands.
    return digits === undefined ? JSON.stringify(value) : `JSON.rawJSON("${digits}")`;
  }
  if (typeof value !== "object" || value === null) return JSON.stringify(value) ?? "undefined";
  const inner = `${indent}  `;
  const entries = Object.entries(value).filter(([, each]) => each !== undefined);
  const items = entries.map(([key, each]) => {
    const written = write(each, inner, path + pointerOf([key]), exact);
    return Array.isArray(value) ? written : `${keyOf(key)}: ${written}`;
  });
  const [open, close] = Array.isArray(value) ? ["[", "]"] : ["{", "}"];
  if (items.length === 0) return open + close;
  const pad = open === "{" ? " " : "";
  const line = `${open}${pad}${items.join(", ")}${pad}${close}`;
  if (line.length <= NARROW && !line.includes("\n")) return line;
  return `${open}\n${items.map((item) => `${inner}${item},\n`).join("")}${indent}${close}`;
}

/** In a literal, `__proto__` would set the prototype. */
function keyOf(key: string): string {
  if (key === "__proto__") return `["__proto__"]`;
  return IDENTIFIER.test(key) ? key : JSON.stringify(key);
}
