// Defines the table of payload fields for each kind of delta. The `run` dialect also uses it, because its wire format
// is the delta contract.
import type { DeltaKind } from "../model/delta.ts";
import { isObject } from "../model/value-kind.ts";

type PlainFieldType =
  | "string"
  | "number"
  | "boolean"
  | "object"
  | "list"
  | "json"
  | "key"
  | "choice"
  | "choices"
  | "residue";
type PayloadFieldType = PlainFieldType | keyof typeof VOCABULARY;
export type PayloadFieldTypes = Readonly<Record<string, PayloadFieldType>>;
export interface PayloadField {
  name: string;
  type: PayloadFieldType;
  required: boolean;
}

/**
 * The maximum number of choices of an answer, which is more than any provider returns. Without a limit, a delta with a
 * huge choice index would allocate much memory.
 */
const MAX_CHOICES = 1024;

/** The allowed values of each field type that is an enumeration. */
const VOCABULARY = {
  executor: ["client", "provider"],
  format: ["json", "text"],
  media: ["image", "audio", "video", "file"],
  toolRole: ["tool"],
} as const satisfies Record<string, readonly string[]>;

/** The descriptions of field types in error messages. A type without an entry is described as "a" and its name. */
const TYPE_NAMES: Partial<Record<PlainFieldType, string>> = {
  object: "an object",
  number: "a finite number",
  key: "a string or a number",
  choice: `a whole number from 0 to ${MAX_CHOICES - 1}`,
  choices: `a list of at most ${MAX_CHOICES - 1}`,
  residue: "one object per dialect",
};

/** Creates a list of fields from the types of the required and the optional fields, by name. */
export function createFieldTable(required: PayloadFieldTypes, optional: PayloadFieldTypes = {}): PayloadField[] {
  return [
    ...Object.entries(required).map(([name, type]) => ({ name, type, required: true })),
    ...Object.entries(optional).map(([name, type]) => ({ name, type, required: false })),
  ];
}

export const USAGE_FIELDS: PayloadFieldTypes = {
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

const OWN_FIELDS: Record<DeltaKind, readonly PayloadField[]> = {
  start: createFieldTable(
    { modelId: "string", requestId: "string" },
    { contractVersion: "number", createdAt: "string", message: "object" },
  ),
  text: createFieldTable({ textDelta: "string" }, { logprobs: "list" }),
  thinking: createFieldTable({ textDelta: "string" }, { summary: "number" }),
  refusal: createFieldTable({ textDelta: "string" }, { logprobs: "list" }),
  tool_call_start: createFieldTable(
    { toolCallId: "string", toolName: "string" },
    { executor: "executor", format: "format", tool: "string", objectArgs: "boolean" },
  ),
  tool_call_args: createFieldTable({ toolCallId: "string", argsTextDelta: "string" }),
  tool_call_end: createFieldTable({ toolCallId: "string" }, { argsTextDelta: "string", invalid: "boolean" }),
  usage: createFieldTable({}, USAGE_FIELDS),
  done: createFieldTable({ finishReason: "string" }, { raw: "string", alternatives: "choices", message: "object" }),
  error: createFieldTable(
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
  seal: createFieldTable({ seal: "object" }),
  annotation: createFieldTable({ annotation: "object" }),
  media: createFieldTable({}, { type: "media", mimeType: "string", dataDelta: "string", transcriptDelta: "string" }),
  part: createFieldTable({ value: "object" }, { role: "toolRole" }),
};
const COMMON_FIELDS = createFieldTable({}, { partKey: "key", choice: "choice", extra: "residue" });

export interface DeltaFields {
  /** The fields that only deltas of this kind have. */
  own: readonly PayloadField[];
  /** The fields in `own`, and the fields that every payload can have. */
  all: readonly PayloadField[];
}

/**
 * The fields of each kind of delta. It is a Map, because kinds come from the wire: a lookup of the kind `constructor`
 * in an object would find an inherited property.
 */
export const DELTA_FIELDS: ReadonlyMap<unknown, DeltaFields> = new Map(
  Object.entries(OWN_FIELDS).map(([kind, own]) => [kind, { own, all: [...own, ...COMMON_FIELDS] }]),
);

export function isOfType(value: unknown, type: PayloadFieldType): boolean {
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

/**
 * Returns the first field that has a wrong type or is required but missing; undefined if there is none. With
 * `nullIsNothing`, null counts as missing.
 */
export function findWrongField(
  value: object,
  table: readonly PayloadField[],
  nullIsNothing = false,
): PayloadField | undefined {
  for (const field of table) {
    const found = (value as Record<string, unknown>)[field.name];
    const isNothing = found === undefined || (found === null && nullIsNothing);
    if (isNothing ? field.required : !isOfType(found, field.type)) return field;
  }
  return undefined;
}

/** Describes the type of a field for an error message. */
export function describeType({ type }: PayloadField): string {
  if (Object.hasOwn(VOCABULARY, type)) return `one of ${VOCABULARY[type as keyof typeof VOCABULARY].join(", ")}`;
  return TYPE_NAMES[type as PlainFieldType] ?? `a ${type}`;
}
