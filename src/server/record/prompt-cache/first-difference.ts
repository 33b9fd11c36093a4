// Finds the first position at which a request differs from an earlier request to the same provider. A prompt cache
// cannot be read beyond this position (B122).
import type { JsonObject, JsonValue } from "../../../model/index.ts";
import { stringifyJson } from "../../../model/index.ts";
import { pointer } from "../../../model/json/pointer.ts";
import { isObject } from "../../../model/value-kind.ts";
import type { ValueDifference } from "./compare-wires.ts";
import { compareValues } from "./compare-wires.ts";
import type { DifferenceKind, PromptField } from "./prompt-layout.ts";
import { listPromptFields } from "./prompt-layout.ts";

/** A request as a provider receives it. */
export interface WireRequest {
  /** The dialect of the provider; "canonical" for a local provider. */
  dialect: string;
  /** The model name as sent to the provider. Some dialects have it in the URL, not in `wire`. */
  model: string;
  wire: JsonObject;
}

/** The first difference between two requests. */
export interface RequestDifference {
  /** The JSON pointer of the difference in the current request; "/model" for the model, even if the URL contains it. */
  path: string;
  kind: DifferenceKind;
  /** An excerpt of the previous value, from shortly before the difference; absent if the current value was added. */
  previous?: string;
  /** An excerpt of the current value, from shortly before the difference; absent if the previous value was removed. */
  current?: string;
}

/** The maximum length of an excerpt, including the marks of omitted text. */
export const MAX_EXCERPT_LENGTH = 200;
/** The number of equal characters that an excerpt shows before the difference. */
const SHOWN_BEFORE = 40;

/**
 * Returns the first difference in the order in which prompt caches read a request: model, tools, system, messages,
 * settings. Returns undefined if the current request only appends messages to the previous request. Ignores cache
 * breakpoints, sampling, limits of tokens, and `stream`. The time is linear in the size of the two requests.
 */
export function findFirstDifference(previous: WireRequest, current: WireRequest): RequestDifference | undefined {
  if (previous.model !== current.model) {
    return toRequestDifference("model", { steps: ["model"], previous: previous.model, current: current.model });
  }
  for (const field of listPromptFields(current.dialect)) {
    const difference = compareField(field, previous.wire, current.wire);
    if (difference === undefined) continue;
    const isSystem = field.kind === "messages" && isInstructionAt(field, difference, previous.wire, current.wire);
    return toRequestDifference(isSystem ? "system" : field.kind, difference);
  }
  return undefined;
}

function compareField(
  { kind, steps }: PromptField,
  previous: JsonObject,
  current: JsonObject,
): ValueDifference | undefined {
  const [left, right] = [readAt(previous, steps), readAt(current, steps)];
  const difference =
    kind === "messages"
      ? compareValues(toMessageList(left), toMessageList(right), { appendable: "items" })
      : compareValues(left, right, {});
  if (difference === undefined) return undefined;
  // A current input that is a text has no items, so that the pointer ends at the field.
  const inner = kind === "messages" && typeof right === "string" ? [] : difference.steps;
  return { ...difference, steps: [...steps, ...inner] };
}

/** Returns the value at the end of the steps; undefined if the request has none. */
function readAt(wire: JsonObject, steps: readonly (string | number)[]): JsonValue | undefined {
  let value: JsonValue | undefined = wire;
  for (const step of steps) {
    if (Array.isArray(value)) value = value[Number(step)];
    else value = isObject(value) && Object.hasOwn(value, step) ? value[step] : undefined;
  }
  return value;
}

/** Returns the list of messages. The Responses API accepts a text instead, which is one user message. */
function toMessageList(messages: JsonValue | undefined): JsonValue | undefined {
  return typeof messages === "string" ? [{ role: "user", content: messages }] : (messages ?? []);
}

const INSTRUCTION_ROLES: ReadonlySet<JsonValue | undefined> = new Set(["system", "developer"]);

/** True if the difference is in a system or developer message of the message list. */
function isInstructionAt(
  { steps }: PromptField,
  difference: ValueDifference,
  previous: JsonObject,
  current: JsonObject,
): boolean {
  const position = difference.steps.slice(0, steps.length + 1);
  const [left, right] = [readAt(previous, position), readAt(current, position)];
  return [left, right].some((message) => isObject(message) && INSTRUCTION_ROLES.has(message["role"]));
}

function toRequestDifference(kind: DifferenceKind, { steps, previous, current }: ValueDifference): RequestDifference {
  const difference: RequestDifference = { path: pointer(steps), kind };
  const [left, right] = [toText(previous), toText(current)];
  const start = left === undefined || right === undefined ? 0 : countEqualCharacters(left, right) - SHOWN_BEFORE;
  if (left !== undefined) difference.previous = createExcerpt(left, start);
  if (right !== undefined) difference.current = createExcerpt(right, start);
  return difference;
}

function toText(value: JsonValue | undefined): string | undefined {
  return value === undefined || typeof value === "string" ? value : stringifyJson(value);
}

function countEqualCharacters(left: string, right: string): number {
  let count = 0;
  while (count < left.length && left[count] === right[count]) count++;
  return count;
}

function createExcerpt(text: string, start: number): string {
  const before = start > 0 ? "…" : "";
  const rest = text.slice(Math.max(start, 0));
  const space = MAX_EXCERPT_LENGTH - before.length;
  const excerpt = rest.length <= space ? rest : `${rest.slice(0, space - 1)}…`;
  // Cutting a text may split a surrogate pair.
  return (before + excerpt).toWellFormed();
}
