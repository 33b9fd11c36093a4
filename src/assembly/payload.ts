// Whether a delta has the fields of its kind. Cheap, because it runs for every delta.
import type { Delta, DeltaKind } from "../model/delta.ts";
import { isObject } from "../model/kind.ts";
import { annotation, anyPart, doneAlternative, finishReason, logprob, messageFields, seal } from "../model/shapes.ts";
import type { AnyShape } from "../model/shape.ts";
import { list } from "../model/shape.ts";
import { structuralIssues } from "../model/validate.ts";
import type { DeltaFields } from "./payload-fields.ts";
import { DELTA_FIELDS, fits, wanted, wrongField } from "./payload-fields.ts";

/** Values with a shape of their own inside a payload; those that may be absent are looked at only where they are there. */
const INNER: Partial<Record<DeltaKind, Readonly<Record<string, AnyShape>>>> = {
  start: { message: messageFields },
  text: { logprobs: list(logprob) },
  refusal: { logprobs: list(logprob) },
  done: { message: messageFields, alternatives: list(doneAlternative) },
  error: { finish: finishReason, alternatives: list(doneAlternative) },
  seal: { seal },
  annotation: { annotation },
  part: { value: anyPart },
};

/** The rule that a delta's own form breaks, with a sentence; undefined where nothing is wrong. */
export function formProblem(delta: Delta): { rule: "known-kind" | "payload"; detail: string } | undefined {
  if (isPlainPiece(delta)) return undefined;
  const known = DELTA_FIELDS.get(delta.kind);
  if (known === undefined) {
    const kind: unknown = delta.kind;
    const found = typeof kind === "string" ? JSON.stringify(kind.slice(0, 40)) : typeof kind;
    return { rule: "known-kind", detail: `\`kind\` is ${found}.` };
  }
  const detail = payloadProblem(delta, known);
  return detail === undefined ? undefined : { rule: "payload", detail };
}

/** Nearly every delta is a piece of text and nothing else, which is seen without looking anything up. */
function isPlainPiece({ kind, payload }: Delta): boolean {
  if ((kind !== "text" && kind !== "thinking") || typeof payload !== "object" || payload === null) return false;
  const { textDelta, part, choice, extra } = payload;
  if (typeof textDelta !== "string" || choice !== undefined || extra !== undefined) return false;
  if (part !== undefined && !fits(part, "key")) return false;
  return kind === "text" ? payload.logprobs === undefined : payload.summary === undefined;
}

function payloadProblem({ kind, payload }: Delta, known: DeltaFields): string | undefined {
  if (!isObject(payload)) return "`payload` must be an object.";
  const { part, choice, extra } = payload;
  // To look these up by name would cost a third more, and most deltas have a part at most.
  const isUsual = choice === undefined && extra === undefined && (part === undefined || fits(part, "key"));
  const wrong = wrongField(payload, isUsual ? known.own : known.all);
  if (wrong !== undefined) return `\`payload.${wrong.name}\` must be ${wanted(wrong)}.`;
  const inner = INNER[kind];
  return inner === undefined ? undefined : innerProblem(payload, inner);
}

function innerProblem(
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
