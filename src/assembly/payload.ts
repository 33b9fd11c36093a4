// Checks that a delta has the fields of its kind. The check runs for every delta, so the common case has a fast path.
import type { Delta, DeltaKind } from "../model/delta.ts";
import { isObject } from "../model/value-kind.ts";
import {
  annotation,
  anyPart,
  doneAlternative,
  finishReason,
  logprob,
  messageFields,
  seal,
} from "../model/validation/message-shapes.ts";
import type { AnyShape } from "../model/validation/shape.ts";
import { list } from "../model/validation/shape.ts";
import { structuralIssues } from "../model/validation/validate.ts";
import type { DeltaFields } from "./payload-fields.ts";
import { DELTA_FIELDS, isOfType, describeType, findWrongField } from "./payload-fields.ts";

/**
 * The shapes of nested values in payloads, by kind of delta and field. A field that is absent from a payload is not
 * checked.
 */
const INNER_SHAPES: Partial<Record<DeltaKind, Readonly<Record<string, AnyShape>>>> = {
  start: { message: messageFields },
  text: { logprobs: list(logprob) },
  refusal: { logprobs: list(logprob) },
  done: { message: messageFields, alternatives: list(doneAlternative) },
  error: { finish: finishReason, alternatives: list(doneAlternative) },
  seal: { seal },
  annotation: { annotation },
  part: { value: anyPart },
};

/** Returns the rule that the fields of a delta break, with a message; undefined if the delta is well-formed. */
export function findFormProblem(delta: Delta): { rule: "known-kind" | "payload"; detail: string } | undefined {
  if (isPlainTextDelta(delta)) return undefined;
  const known = DELTA_FIELDS.get(delta.kind);
  if (known === undefined) {
    const kind: unknown = delta.kind;
    const found = typeof kind === "string" ? JSON.stringify(kind.slice(0, 40)) : typeof kind;
    return { rule: "known-kind", detail: `\`kind\` is ${found}.` };
  }
  const detail = findPayloadProblem(delta, known);
  return detail === undefined ? undefined : { rule: "payload", detail };
}

/**
 * True for a valid text fragment without further fields. Nearly every delta is one, so this fast path avoids the table
 * lookup.
 */
function isPlainTextDelta({ kind, payload }: Delta): boolean {
  if ((kind !== "text" && kind !== "thinking") || typeof payload !== "object" || payload === null) return false;
  const { textDelta, partKey, choice, extra } = payload;
  if (typeof textDelta !== "string" || choice !== undefined || extra !== undefined) return false;
  if (partKey !== undefined && !isOfType(partKey, "key")) return false;
  return kind === "text" ? payload.logprobs === undefined : payload.summary === undefined;
}

function findPayloadProblem({ kind, payload }: Delta, known: DeltaFields): string | undefined {
  if (!isObject(payload)) return "`payload` must be an object.";
  const { partKey, choice, extra } = payload;
  // Of the fields that every payload can have, most deltas have only `partKey`. The list of all fields is used only for
  // deltas with `choice`, `extra` or a wrong `partKey`; using it always was measured to take a third more time.
  const isUsual = choice === undefined && extra === undefined && (partKey === undefined || isOfType(partKey, "key"));
  const wrong = findWrongField(payload, isUsual ? known.own : known.all);
  if (wrong !== undefined) return `\`payload.${wrong.name}\` must be ${describeType(wrong)}.`;
  const inner = INNER_SHAPES[kind];
  return inner === undefined ? undefined : findInnerProblem(payload, inner);
}

function findInnerProblem(
  payload: Record<string, unknown>,
  shapes: Readonly<Record<string, AnyShape>>,
): string | undefined {
  for (const field in shapes) {
    const shape = shapes[field];
    if (shape === undefined || payload[field] === undefined) continue;
    const issue = structuralIssues(payload[field], shape)[0];
    if (issue !== undefined)
      return `\`payload.${field}\`${issue.path === "" ? "" : ` at "${issue.path}"`}: ${issue.message}`;
  }
  return undefined;
}
