// Compares an answer that was encoded for a target as a stream with the same answer as a whole response.
import type { Delta, Dialect, Loss, ModelResponse } from "../../src/index.ts";
import { stringifyJson } from "../../src/index.ts";
import { assertHolds } from "../../src/testkit/conformance-case.ts";
import { assertNoDifferences, findDifferences } from "../../src/testkit/json/json-differences.ts";
import { matchExceptions } from "../../src/testkit/checks/streamed-equals-whole.ts";
import {
  assembleAnswers,
  toComparableResponse,
  decodeEvents,
  encodeDeltas,
  findViolations,
} from "../../src/testkit/checks/stream-helpers.ts";
import { listFormatExceptions } from "./stream-format-exceptions.ts";

/** Losses of the stream order: text for a closed block, and data that arrived too late. */
const SPLIT_CODES: ReadonlySet<string> = new Set(["part-split", "late-dropped"]);

/** Requires that encoded deltas decode to the same response as the encoded whole answer. */
export function expectStreamedEqualsWhole(target: Dialect, deltas: readonly Delta[], response: ModelResponse): void {
  const { events, losses } = encodeDeltas(target, deltas);
  const read = decodeEvents(target, events);
  const broken = findViolations(read);
  assertHolds(broken.length === 0, "What was written breaks a rule.", broken);
  const [streamed, ...more] = assembleAnswers(read).map(toComparableResponse);
  assertHolds(more.length === 0, "One answer became several.", events);
  if (response.error !== undefined)
    return assertHolds(streamed?.error !== undefined, "A failure became an answer.", events);
  if (!hasWholeForm(target)) return expectArrived(response, streamed, losses);
  const whole = toComparableResponse(roundTripWhole(target, response));
  const isSplit = losses.some(({ code }) => SPLIT_CODES.has(code));
  const [was, is] = [whole, streamed].map((each) => each && withoutSpelling(isSplit ? summarizeContent(each) : each));
  const isExcepted = matchExceptions(listFormatExceptions(target.id));
  const found = findDifferences(was, is).filter(({ path }) => !isExcepted(path, losses));
  assertNoDifferences(found, "In pieces it is another answer than as a whole.");
}

/** Removes `inputText`: dialects whose complete answers have objects as arguments have the text in streams only. */
function withoutSpelling(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(withoutSpelling);
  if (typeof value !== "object" || value === null) return value;
  const copy = Object.fromEntries(Object.entries(value).map(([key, field]) => [key, withoutSpelling(field)]));
  if (copy["type"] === "tool-call" && copy["invalid"] === undefined && copy["format"] !== "text")
    delete copy["inputText"];
  // An empty summary that arrives late has no blank line before it.
  if (copy["type"] === "reasoning" && typeof copy["text"] === "string")
    copy["text"] = copy["text"].replace(/(?:\n\n)+$/, "");
  return copy;
}

/** True if there is a whole answer to compare with. Events of the run dialect are the deltas themselves. */
function hasWholeForm({ id, supports: carries }: Dialect): boolean {
  return carries.has("responses") || id === "run";
}

/** Encodes and decodes the whole answer with the target. */
export function roundTripWhole(target: Dialect, response: ModelResponse): ModelResponse {
  return target.supports.has("responses") ? target.decodeResponse(target.encodeResponse(response).wire) : response;
}

/** Requires that texts and calls without a loss arrived, for targets without whole answers. */
function expectArrived(response: ModelResponse, streamed: ModelResponse | undefined, losses: readonly Loss[]): void {
  const arrived = streamed?.message.parts ?? [];
  const texts = arrived.map((part) => ("text" in part ? part.text : "")).join("");
  const calls = new Set(
    arrived.flatMap((part) => (part.type === "tool-call" ? [stringifyJson([part.toolName, part.input])] : [])),
  );
  response.message.parts.forEach((part, index) => {
    const isReported = losses.some(({ path }) => path === "/message" || path.startsWith(`/message/parts/${index}`));
    if (isReported) return;
    if (part.type === "text") assertHolds(texts.includes(part.text), "A text has not arrived.", part, streamed);
    if (part.type !== "tool-call") return;
    const isThere = calls.has(stringifyJson([part.toolName, part.input]));
    assertHolds(isThere, "A call has not arrived.", part, streamed);
  });
}

/**
 * Returns the content of an answer without the boundaries and the order of parts, for answers with split parts. Leaves
 * out reasoning: most targets have either raw reasoning or summaries, and cannot change that after a block is closed.
 */
function summarizeContent({ finishReason, usage, message }: ModelResponse): object {
  const characters = new Map<string, string[]>();
  for (const part of message.parts) {
    if (!("text" in part) || part.type === "reasoning" || part.text === undefined || part.text === "") continue;
    characters.set(part.type, [...(characters.get(part.type) ?? []), ...Array.from(part.text)]);
  }
  const calls = message.parts.flatMap((part) =>
    part.type === "tool-call" ? [{ toolName: part.toolName, input: part.input }] : [],
  );
  const texts = [...characters].map(([type, list]) => [type, list.sort().join("")]);
  return { finishReason, usage, calls, texts: Object.fromEntries(texts) };
}
