// Headers from several sides: later ones win, except where a header is a list that grows.
import { pointerStep } from "../../model/pointer.ts";
import { ClientError } from "../errors.ts";

export type Headers = Readonly<Record<string, string>>;

/** Headers that hold lists: every side's words are sent. */
const LISTS: ReadonlySet<string> = new Set(["anthropic-beta"]);

/** Merges headers; names become lower case. */
export function mergeHeaders(...sides: readonly (Headers | undefined)[]): Record<string, string> {
  const merged: Record<string, string> = {};
  for (const side of sides) {
    if (side === undefined) continue;
    for (const [key, value] of Object.entries(side)) {
      const name = key.toLowerCase();
      const before = merged[name];
      merged[name] = before !== undefined && LISTS.has(name) ? joinWords(before, value) : value;
    }
  }
  return merged;
}

function joinWords(...lists: readonly string[]): string {
  const words = lists.flatMap((list) => list.split(",")).map((word) => word.trim());
  return [...new Set(words.filter((word) => word !== ""))].join(",");
}

const SECRET = /auth|key|token|secret|cookie|password/i;

/** Headers that may be shown, and those that may be keys: they are added last, so that nothing else sees them. */
export function splitHeaders(headers: Headers): [told: Headers, secret: Headers] {
  const told: Record<string, string> = {};
  const secret: Record<string, string> = {};
  for (const [name, value] of Object.entries(headers)) (SECRET.test(name) ? secret : told)[name] = value;
  return [told, secret];
}

const NAME = /^[\w!#$%&'*+.^`|~-]+$/;
/** Visible characters, spaces and tabs; others would end the header, or cannot be sent. */
// oxlint-disable-next-line no-control-regex -- they are what is looked for
const UNSENDABLE = /[^\t\x20-\x7e\x80-\xff]/;

/** What is wrong with a header, if anything; never its value. */
export function headerFault(name: string, value: unknown): string | undefined {
  if (!NAME.test(name)) return `"${name}" is no name of a header.`;
  if (typeof value !== "string") return `The header "${name}" must be a string.`;
  if (UNSENDABLE.test(value))
    return `The header "${name}" holds a character that cannot be sent, such as a line break.`;
  return undefined;
}

/** Throws for headers that cannot be sent. */
export function checkHeaders(headers: unknown, path: string, provider: string): void {
  if (typeof headers !== "object" || headers === null) {
    throw new ClientError("configuration", `${path} must be an object of strings.`, { path, provider });
  }
  for (const [name, value] of Object.entries(headers)) {
    const fault = headerFault(name, value);
    if (fault === undefined) continue;
    const place = path + pointerStep(name);
    throw new ClientError("configuration", `${place} is wrong: ${fault}`, { path: place, provider });
  }
}
