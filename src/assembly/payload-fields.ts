// Which fields the payload of a delta has, as a table. A dialect whose wire is the contract itself reads by it too.
import type { DeltaKind } from "../model/delta.ts";
import { isObject } from "../model/kind.ts";

type Plain = "string" | "number" | "boolean" | "object" | "list" | "json" | "key" | "choice" | "choices" | "residue";
type FieldType = Plain | keyof typeof VOCABULARY;
export type FieldTypes = Readonly<Record<string, FieldType>>;
export interface Field {
  name: string;
  type: FieldType;
  required: boolean;
}

/** More choices than any provider gives; a wild index must not cost memory. */
const MAX_CHOICES = 1024;

/** Fields that hold one of a few words. */
const VOCABULARY = {
  executor: ["client", "provider"],
  format: ["json", "text"],
  media: ["image", "audio", "video", "file"],
  toolRole: ["tool"],
} as const satisfies Record<string, readonly string[]>;

/** What a type is called where it is more than "a" and its own name. */
const WORDS: Partial<Record<Plain, string>> = {
  object: "an object",
  number: "a finite number",
  key: "a string or a number",
  choice: `a whole number from 0 to ${MAX_CHOICES - 1}`,
  choices: `a list of at most ${MAX_CHOICES - 1}`,
  residue: "one object per dialect",
};

/** The table of an object's fields. */
export function fields(required: FieldTypes, optional: FieldTypes = {}): Field[] {
  return [
    ...Object.entries(required).map(([name, type]) => ({ name, type, required: true })),
    ...Object.entries(optional).map(([name, type]) => ({ name, type, required: false })),
  ];
}

export const USAGE_FIELDS: FieldTypes = {
  inputTokens: "number",
  outputTokens: "number",
  totalTokens: "number",
  cacheReadTokens: "number",
  cacheWriteTokens: "number",
  cacheWrite5mTokens: "number",
  cacheWrite1hTokens: "number",
  reasoningTokens: "number",
  cost: "number",
  raw: "json",
};

const OWN_FIELDS: Record<DeltaKind, readonly Field[]> = {
  start: fields(
    { modelId: "string", requestId: "string" },
    { contractVersion: "number", createdAt: "string", message: "object" },
  ),
  text: fields({ textDelta: "string" }, { logprobs: "list" }),
  thinking: fields({ textDelta: "string" }, { summary: "number" }),
  refusal: fields({ textDelta: "string" }, { logprobs: "list" }),
  tool_call_start: fields(
    { toolCallId: "string", toolName: "string" },
    { executor: "executor", format: "format", tool: "string", objectArgs: "boolean" },
  ),
  tool_call_args: fields({ toolCallId: "string", argsTextDelta: "string" }),
  tool_call_end: fields({ toolCallId: "string" }, { argsTextDelta: "string", invalid: "boolean" }),
  usage: fields({}, USAGE_FIELDS),
  done: fields({ finishReason: "string" }, { raw: "string", alternatives: "choices", message: "object" }),
  error: fields(
    { errorCode: "string" },
    {
      message: "string",
      retryable: "boolean",
      status: "number",
      retryAfterMs: "number",
      raw: "json",
      finish: "object",
      alternatives: "choices",
    },
  ),
  seal: fields({ seal: "object" }),
  annotation: fields({ annotation: "object" }),
  media: fields({}, { type: "media", mimeType: "string", dataDelta: "string", transcriptDelta: "string" }),
  part: fields({ value: "object" }, { role: "toolRole" }),
};
const ANY_FIELDS = fields({}, { part: "key", choice: "choice", extra: "residue" });

export interface DeltaFields {
  /** Those of the kind alone. */
  own: readonly Field[];
  all: readonly Field[];
}

/** A map, because kinds are foreign words: `constructor` is none of ours. */
export const DELTA_FIELDS: ReadonlyMap<unknown, DeltaFields> = new Map(
  Object.entries(OWN_FIELDS).map(([kind, own]) => [kind, { own, all: [...own, ...ANY_FIELDS] }]),
);

export function fits(value: unknown, type: FieldType): boolean {
  switch (type) {
    case "json":
      return true;
    case "object":
      return isObject(value);
    case "residue":
      return isObject(value) && Object.values(value).every(isObject);
    case "list":
      return Array.isArray(value);
    case "number":
      return Number.isFinite(value);
    case "key":
      return typeof value === "string" || typeof value === "number";
    case "choice":
      return Number.isInteger(value) && Number(value) >= 0 && Number(value) < MAX_CHOICES;
    case "choices":
      return Array.isArray(value) && value.length < MAX_CHOICES;
    case "string":
    case "boolean":
      return typeof value === type;
    default:
      return VOCABULARY[type].some((word) => word === value);
  }
}

/** The first field that is not what it must be. Where `nullIsNothing`, an optional one may be null. */
export function wrongField(value: object, table: readonly Field[], nullIsNothing = false): Field | undefined {
  for (const field of table) {
    // An object with unknown fields until each is checked here.
    const found = (value as Record<string, unknown>)[field.name];
    const isNothing = found === undefined || (found === null && nullIsNothing);
    if (isNothing ? field.required : !fits(found, field.type)) return field;
  }
  return undefined;
}

/** What a field must be, for a sentence. */
export function wanted({ type }: Field): string {
  if (Object.hasOwn(VOCABULARY, type)) return `one of ${VOCABULARY[type as keyof typeof VOCABULARY].join(", ")}`;
  return WORDS[type as Plain] ?? `a ${type}`;
}
