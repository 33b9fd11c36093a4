// No copy of the raw body: once every string of the value has been changed, none of the old ones goes out. A copy that
// is kept beside the value ignores edits, and leaks what somebody has redacted.
import { demand } from "./demand.ts";
import type { SampleCheck } from "./exchange.ts";
import { mapScalars, scalars } from "./places.ts";
import { isBase64, isLiteral, joins } from "./positions.ts";

/** Shorter strings could be words of the wire's own. */
const TELLING = 12;
const RESIDUE = /\/extra\/|^\/extra\//;
/** Words such as `web_search_result`, which are the wire's own wherever they stand. */
const WIRE_WORD = /^[a-z]+(?:_[a-z0-9]+)*$/;
/** Names and keywords that a schema refers to by; and what is a word of the wire rather than of the conversation. */
const REFERENCE = /\/\$[^/]*$|\/(?:tools\/\d+\/(?:value|grammar)|raw)(?:\/|$)/;
/** What was said: residue never holds it a second time. Inputs and outputs may repeat what a tool's description says. */
const SAID = /\/parts\/\d+\/(?:text|summary\/\d+)$/;

interface Old {
  path: string;
  text: string;
  /** What takes its place. */
  mark: string;
}

function isWireWord(text: string, path: string): boolean {
  return RESIDUE.test(path) || REFERENCE.test(path) || WIRE_WORD.test(text);
}

function changeable(value: unknown): Old[] {
  const olds: Old[] = [];
  const marks = new Map<string, string>();
  for (const { path, value: text } of scalars(value)) {
    if (typeof text !== "string" || text.length < TELLING || isWireWord(text, path)) continue;
    if (isLiteral(path) && joins(path) === undefined && !isBase64(path)) continue;
    const mark = marks.get(text) ?? `Mark${String(marks.size + 1).padStart(8, "0")}`;
    marks.set(text, mark);
    olds.push({ path, text, mark: path.endsWith("/url") ? `https://example.com/${mark}` : mark });
  }
  return olds;
}

export const keepsNoCopies: SampleCheck = (exchange, dialect, sample) => {
  const value = exchange.decode(dialect, sample.wire, sample);
  const olds = changeable(value);
  const marks = new Map(olds.map(({ path, mark }) => [path, mark]));
  // Strings were replaced by strings.
  const marked = mapScalars(value, (scalar, path) => marks.get(path) ?? scalar) as typeof value;
  const kept = scalars(marked).flatMap(({ path, value: text }) => (typeof text === "string" ? [{ path, text }] : []));
  const { wire, losses } = exchange.encode(dialect, marked);
  const out = scalars(wire).flatMap(({ path, value: text }) => (typeof text === "string" ? [{ path, text }] : []));
  for (const { path, text } of olds) {
    const leak = out.find((each) => each.text.includes(text));
    if (leak === undefined) continue;
    // What a loss or a residue says in the same words by chance is another's.
    const isSaid = SAID.test(path) && /\s/.test(text);
    const other = kept.find((each) => each.text.includes(text));
    demand(
      !isSaid && other !== undefined,
      `The text at "${path}" was changed, and still goes out at "${leak.path}".`,
      text,
      other === undefined ? "It is kept where nobody can change it." : `It stands at "${other.path}", too.`,
      losses,
    );
  }
};
