// Reads the content of a conversation in any dialect (texts, tool calls and results) in a comparable form. Differences
// of notation are ignored: turn boundaries, white space between joined texts, wrappers around results.
import type { JsonObject, JsonValue } from "../../src/index.ts";
import { isObject, parseJson, sameJson } from "../../src/index.ts";
import { WIRES } from "./index.ts";
import type { DialectName, TextSlot, WireCall, WireResult } from "./wire.ts";
import { textAt } from "./wire.ts";

export interface ConversationContent {
  /** The system text, then the joined texts of each sequence of messages of one role. */
  texts: JsonValue;
  /** The name and the arguments of each tool call, in their order. */
  calls: JsonValue;
  /** The index of the answered call and the output of each tool result. */
  results: JsonValue;
}
export const CONTENT_KINDS = ["texts", "calls", "results"] as const;

export function readContent(dialect: DialectName, body: JsonObject): ConversationContent {
  const wire = WIRES[dialect];
  const turns = wire.turns(body, "requests");
  const calls: WireCall[] = [];
  const results: WireResult[] = [];
  for (const turn of turns) {
    calls.push(...wire.calls(turn));
    results.push(...wire.results(turn));
  }
  return {
    texts: textRuns([...wire.outerTexts(body), ...turns.flatMap((turn) => wire.texts(turn))]),
    calls: calls.map(({ name, input }) => ({ name: name ?? "", input: normalizeInput(input) })),
    results: pairResults(calls, results),
  };
}

/** Returns the kinds of content that are equal in both conversations. */
export function listEqualContent(
  before: ConversationContent,
  after: ConversationContent,
): (keyof ConversationContent)[] {
  return CONTENT_KINDS.filter((fact) => sameJson(before[fact], after[fact]));
}

function textRuns(slots: readonly TextSlot[]): JsonValue {
  const runs: { role: string; text: string }[] = [{ role: "system", text: "" }];
  for (const slot of slots) {
    const { role } = slot;
    const text = textAt(slot).replaceAll(/\s+/g, "");
    if (text === "") continue;
    // System texts are joined at the beginning, because not every dialect preserves the position of a system text.
    const last = role === "system" ? runs[0] : runs.at(-1);
    if (last?.role === role) last.text += text;
    else runs.push({ role, text });
  }
  return runs.map(({ role, text }) => [role, text]);
}

function parseOrText(text: string): JsonValue {
  try {
    return parseJson(text);
  } catch {
    // A text that is not JSON is compared as text.
    return text;
  }
}

function normalizeInput(input: JsonValue | undefined): JsonValue {
  if (input === undefined || input === null) return {};
  if (typeof input !== "string") return input;
  return input.trim() === "" ? {} : parseOrText(input);
}

/** Returns each result with the index of its call, −1 if there is none; ids may change in a translation. */
function pairResults(calls: readonly WireCall[], results: readonly WireResult[]): JsonValue {
  const open = calls.map((call, place) => ({ ...call, place }));
  return results.map(({ id, name, output }) => {
    const found = open.findIndex((call) =>
      id === undefined || call.id === undefined ? call.name === name : call.id === id,
    );
    const [call] = found === -1 ? [] : open.splice(found, 1);
    return [call?.place ?? -1, normalizeOutput(output)];
  });
}

const WRAPPERS: ReadonlySet<string> = new Set(["output", "result"]);

function normalizeOutput(output: JsonValue | undefined): JsonValue {
  if (output === undefined || output === null) return "";
  if (typeof output === "string") return isObjectText(output) ? normalizeOutput(parseOrText(output)) : output;
  if (Array.isArray(output)) {
    const texts = output.map((block) => (isObject(block) && typeof block["text"] === "string" ? block["text"] : null));
    return texts.includes(null) || texts.length === 0 ? output : normalizeOutput(texts.join(""));
  }
  const [key, ...others] = isObject(output) ? Object.keys(output) : [];
  if (!isObject(output) || key === undefined || others.length > 0 || !WRAPPERS.has(key)) return output;
  return normalizeOutput(output[key]);
}

/** True if the text is the JSON of an object or a list. */
function isObjectText(text: string): boolean {
  return /^\s*[{[]/.test(text) && typeof parseOrText(text) !== "string";
}
