// Checks that a decoded value contains no copy of the raw body: after all strings of the value are replaced, the
// encoder must not write an original string. A hidden copy would ignore edits and leak redacted text.
import { assertHolds } from "../conformance-case.ts";
import type { WireSampleCheck } from "./payload-codec.ts";
import { mapScalars, listScalars } from "../json/json-nodes.ts";
import { isBase64, isLiteral, readLinkKind } from "../oracle/model-paths.ts";

/** The minimum length of a tested string; shorter strings could be enumerated values of the wire. */
const MIN_LENGTH = 12;
const RESIDUE_PATH = /\/extra\/|^\/extra\//;
/** Matches enumerated values of wires, such as `web_search_result`. */
const WIRE_ENUM = /^[a-z]+(?:_[a-z0-9]+)*$/;
/** Matches paths of schema references, verbatim tools, grammars and raw provider data. */
const VERBATIM_PATH = /\/\$[^/]*$|\/(?:tools\/\d+\/(?:value|grammar)|raw)(?:\/|$)/;
/**
 * Matches paths of texts and summaries, which residue must never contain. Tool inputs and outputs are not matched,
 * because they may repeat a text of the request, such as a tool's description.
 */
const CONTENT_PATH = /\/parts\/\d+\/(?:text|summary\/\d+)$/;

interface ReplacedString {
  path: string;
  text: string;
  /** The string that replaces `text`. */
  mark: string;
}

function isWireVocabulary(text: string, path: string): boolean {
  return RESIDUE_PATH.test(path) || VERBATIM_PATH.test(path) || WIRE_ENUM.test(text);
}

function listReplaceableStrings(value: unknown): ReplacedString[] {
  const replaced: ReplacedString[] = [];
  const marks = new Map<string, string>();
  for (const { path, value: text } of listScalars(value)) {
    if (typeof text !== "string" || text.length < MIN_LENGTH || isWireVocabulary(text, path)) continue;
    if (isLiteral(path) && readLinkKind(path) === undefined && !isBase64(path)) continue;
    const mark = marks.get(text) ?? `Mark${String(marks.size + 1).padStart(8, "0")}`;
    marks.set(text, mark);
    replaced.push({ path, text, mark: path.endsWith("/url") ? `https://example.com/${mark}` : mark });
  }
  return replaced;
}

function listStrings(value: unknown): { path: string; text: string }[] {
  return listScalars(value).flatMap(({ path, value: text }) => (typeof text === "string" ? [{ path, text }] : []));
}

export const assertNoRawCopies: WireSampleCheck = (codec, dialect, sample) => {
  const value = codec.decode(dialect, sample.wire, sample);
  const replaced = listReplaceableStrings(value);
  const marks = new Map(replaced.map(({ path, mark }) => [path, mark]));
  // The cast is safe, because strings are replaced by strings.
  const marked = mapScalars(value, (scalar, path) => marks.get(path) ?? scalar) as typeof value;
  const remaining = listStrings(marked);
  const { wire, losses } = codec.encode(dialect, marked);
  const output = listStrings(wire);
  for (const { path, text } of replaced) {
    const leak = output.find((each) => each.text.includes(text));
    if (leak === undefined) continue;
    // The encoder wrote `text`, although it was replaced in the canonical value. That is allowed if another string of
    // the value contains it, but never for a text of the conversation.
    const isContent = CONTENT_PATH.test(path) && /\s/.test(text);
    const other = remaining.find((each) => each.text.includes(text));
    assertHolds(
      !isContent && other !== undefined,
      `The text at "${path}" was changed, but the old text is still sent at "${leak.path}".`,
      text,
      other === undefined ? "The copy is not part of the decoded value." : `"${other.path}" has a copy.`,
      losses,
    );
  }
};
