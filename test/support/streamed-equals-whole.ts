// One answer in a target's words, streamed and whole: the two must be the same.
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

/** Texts that a closed block could not take up again, and what came too late: the order of a protocol, not its words. */
const SPLIT_CODES: ReadonlySet<string> = new Set(["part-split", "late-dropped"]);

/** The deltas, streamed in the target's words and read again, are what the answer is that went out whole. */
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

/**
 * Arguments keep their spelling where they come as text; a source whose whole form is an object has it in streams only.
 */
function withoutSpelling(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(withoutSpelling);
  if (typeof value !== "object" || value === null) return value;
  const copy = Object.fromEntries(Object.entries(value).map(([key, field]) => [key, withoutSpelling(field)]));
  if (copy["type"] === "tool-call" && copy["invalid"] === undefined && copy["format"] !== "text")
    delete copy["inputText"];
  // A summary of no words that comes late leaves out the blank line before it.
  if (copy["type"] === "reasoning" && typeof copy["text"] === "string")
    copy["text"] = copy["text"].replace(/(?:\n\n)+$/, "");
  return copy;
}

/** The run shape has no whole answers, but its events are the deltas themselves: it says everything. */
function hasWholeForm({ id, supports: carries }: Dialect): boolean {
  return carries.has("responses") || id === "run";
}

/** The answer as it comes back from the target. */
export function roundTripWhole(target: Dialect, response: ModelResponse): ModelResponse {
  return target.supports.has("responses") ? target.decodeResponse(target.encodeResponse(response).wire) : response;
}

/** Where there is no whole answer to compare with: the texts and calls that no loss tells of have arrived. */
function expectArrived(response: ModelResponse, streamed: ModelResponse | undefined, losses: readonly Loss[]): void {
  const arrived = streamed?.message.parts ?? [];
  const texts = arrived.map((part) => ("text" in part ? part.text : "")).join("");
  const calls = new Set(
    arrived.flatMap((part) => (part.type === "tool-call" ? [stringifyJson([part.toolName, part.input])] : [])),
  );
  response.message.parts.forEach((part, index) => {
    const isTold = losses.some(({ path }) => path === "/message" || path.startsWith(`/message/parts/${index}`));
    if (isTold) return;
    if (part.type === "text") assertHolds(texts.includes(part.text), "A text has not arrived.", part, streamed);
    if (part.type !== "tool-call") return;
    const isThere = calls.has(stringifyJson([part.toolName, part.input]));
    assertHolds(isThere, "A call has not arrived.", part, streamed);
  });
}

/**
 * Who compares an answer whose parts were split looks at what was said, not at where parts end or which came first. Of
 * reasoning that comes in two texts, raw and summed up, most say one: a block that is closed cannot take back which.
 */
function summarizeContent({ finishReason, usage, message }: ModelResponse): object {
  const said = new Map<string, string[]>();
  for (const part of message.parts) {
    // Where parts are joined, an empty one is none.
    if (!("text" in part) || part.type === "reasoning" || part.text === undefined || part.text === "") continue;
    said.set(part.type, [...(said.get(part.type) ?? []), ...Array.from(part.text)]);
  }
  const calls = message.parts.flatMap((part) =>
    part.type === "tool-call" ? [{ toolName: part.toolName, input: part.input }] : [],
  );
  const texts = [...said].map(([type, characters]) => [type, characters.sort().join("")]);
  return { finishReason, usage, calls, said: Object.fromEntries(texts) };
}
