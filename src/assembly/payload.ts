// Whether a delta has the fields of its kind. Cheap, because it runs for every delta.
import type { Delta, DeltaKind } from "../model/delta.ts";
import { annotation, anyPart, seal } from "../model/shapes.ts";
import type { AnyShape } from "../model/shape.ts";
import { structuralIssues } from "../model/validate.ts";

type FieldType = "string" | "number" | "boolean" | "object" | "list";
interface Field {
  name: string;
  type: FieldType;
  required: boolean;
}

/** More choices than any provider gives; a wild index must not cost memory. */
const MAX_CHOICES = 1024;

function fields(required: Record<string, FieldType>, optional: Record<string, FieldType> = {}): Field[] {
  return [
    ...Object.entries(required).map(([name, type]) => ({ name, type, required: true })),
    ...Object.entries(optional).map(([name, type]) => ({ name, type, required: false })),
  ];
}

const FIELDS: Record<DeltaKind, readonly Field[]> = {
  start: fields(
    { modelId: "string", requestId: "string" },
    { contractVersion: "number", createdAt: "string", message: "object" },
  ),
  text: fields({ textDelta: "string" }, { logprobs: "list" }),
  thinking: fields({ textDelta: "string" }, { summary: "number" }),
  refusal: fields({ textDelta: "string" }, { logprobs: "list" }),
  tool_call_start: fields(
    { toolCallId: "string", toolName: "string" },
    { executor: "string", format: "string", tool: "string", objectArgs: "boolean" },
  ),
  tool_call_args: fields({ toolCallId: "string", argsTextDelta: "string" }),
  tool_call_end: fields({ toolCallId: "string" }, { argsTextDelta: "string" }),
  usage: fields(
    {},
    {
      inputTokens: "number",
      outputTokens: "number",
      totalTokens: "number",
      cacheReadTokens: "number",
      cacheWriteTokens: "number",
      cacheWrite5mTokens: "number",
      cacheWrite1hTokens: "number",
      reasoningTokens: "number",
      cost: "number",
    },
  ),
  done: fields({ finishReason: "string" }, { raw: "string", alternatives: "list", message: "object" }),
  error: fields(
    { errorCode: "string" },
    { message: "string", retryable: "boolean", status: "number", retryAfterMs: "number" },
  ),
  seal: fields({ seal: "object" }),
  annotation: fields({ annotation: "object" }),
  media: fields({}, { type: "string", mimeType: "string", dataDelta: "string", transcriptDelta: "string" }),
  part: fields({ value: "object" }, { role: "string" }),
};

/** Values with a shape of their own inside a payload. */
const INNER: Partial<Record<DeltaKind, readonly [field: string, shape: AnyShape]>> = {
  seal: ["seal", seal],
  annotation: ["annotation", annotation],
  part: ["value", anyPart],
};

/** A map, because kinds are foreign words: `constructor` is none of ours. */
const FIELDS_BY_KIND: ReadonlyMap<unknown, readonly Field[]> = new Map(Object.entries(FIELDS));

function fits(value: unknown, type: FieldType): boolean {
  if (type === "object") return typeof value === "object" && value !== null && !Array.isArray(value);
  if (type === "list") return Array.isArray(value);
  return typeof value === type && (type !== "number" || Number.isFinite(value));
}

/** The rule that a delta's own form breaks, with a sentence; undefined where nothing is wrong. */
export function formProblem(delta: Delta): { rule: "known-kind" | "payload"; detail: string } | undefined {
  const known = FIELDS_BY_KIND.get(delta.kind);
  if (known === undefined) {
    const kind: unknown = delta.kind;
    const found = typeof kind === "string" ? JSON.stringify(kind.slice(0, 40)) : typeof kind;
    return { rule: "known-kind", detail: `\`kind\` is ${found}.` };
  }
  const detail = payloadProblem(delta, known);
  return detail === undefined ? undefined : { rule: "payload", detail };
}

function payloadProblem(delta: Delta, known: readonly Field[]): string | undefined {
  if (!fits(delta.payload, "object")) return "`payload` must be an object.";
  // A payload is an object with unknown fields until each is checked here.
  const payload = delta.payload as unknown as Record<string, unknown>;
  for (const field of known) {
    const value = payload[field.name];
    if (value === undefined ? field.required : !fits(value, field.type)) {
      return `\`payload.${field.name}\` must be a ${field.type}.`;
    }
  }
  const { part, choice, extra } = payload;
  if (part !== undefined && typeof part !== "string" && typeof part !== "number") {
    return "`payload.part` must be a string or a number.";
  }
  if (choice !== undefined && !(Number.isInteger(choice) && Number(choice) >= 0 && Number(choice) < MAX_CHOICES)) {
    return `\`payload.choice\` must be a whole number from 0 to ${MAX_CHOICES - 1}.`;
  }
  if (
    extra !== undefined &&
    !(fits(extra, "object") && Object.values(extra as object).every((e) => fits(e, "object")))
  ) {
    return "`payload.extra` must hold one object per dialect.";
  }
  const inner = INNER[delta.kind];
  return inner === undefined ? undefined : innerProblem(payload[inner[0]], inner);
}

function innerProblem(value: unknown, [field, shape]: readonly [string, AnyShape]): string | undefined {
  const issue = structuralIssues(value, shape)[0];
  return issue === undefined
    ? undefined
    : `\`payload.${field}\`${issue.path === "" ? "" : ` at "${issue.path}"`}: ${issue.message}`;
}
