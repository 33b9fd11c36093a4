// Determines the dialect and the kind of a record. The user's options have precedence over detection. For an ambiguous
// record, the error names the option that the user must set.
import type { Dialect } from "../../dialects/index.ts";
import { dialects } from "../../dialects/index.ts";
import { isObject } from "../../model/index.ts";
import type { JsonObject } from "../../model/index.ts";
import { CliError } from "../exit.ts";
import type { RecordEnvelope } from "./record-envelope.ts";
import { unwrapRecord } from "./record-envelope.ts";
import { detectMessageDialect, hasMessagesWithParts, isMessage } from "./message-dialect.ts";
import { guessDialect, detectPayload } from "./guess-dialect.ts";

export const RECORD_KINDS = ["request", "response", "messages", "stream", "error"] as const;
export type RecordKind = (typeof RECORD_KINDS)[number];

/** The dialect and kind that the user named for all records; undefined fields are detected for each record. */
export interface ExpectedInput {
  from?: Dialect | undefined;
  kind?: RecordKind | undefined;
  /** True if an ambiguous record is decoded with the most likely dialect instead of being an error. */
  allowGuess?: boolean;
  /** Returns the dialect with this id, created with the user's dialect options. */
  getDialect: (id: string) => Dialect;
}

export interface ClassifiedRecord {
  dialect: Dialect;
  /** True if several dialects match and the most likely one was chosen. */
  isGuess: boolean;
  kind: RecordKind;
  /** The value to decode: the body; for the kind `messages`, a list of messages or an object that contains the list. */
  value: unknown;
  envelope: RecordEnvelope;
  /** True if the record is one message that is not in a list; `value` is then a list with that message. */
  isSingleMessage: boolean;
}

export function classifyRecord(record: unknown, expected: ExpectedInput): ClassifiedRecord {
  const { body, envelope } = unwrapRecord(record);
  if (Array.isArray(body)) return classifyMessages(body, false, expected, envelope);
  if (!isObject(body)) {
    const actualType = body === null ? "null" : `a ${typeof body}`;
    throw createRecordError(`Expected an object or a list of messages, found ${actualType}.`);
  }
  const detected = expected.from === undefined ? detectPayload(body, envelope.address?.model) : undefined;
  const { kind = detected?.kind ?? detectRecordKind(body, expected.from) } = expected;
  if (kind === "messages") {
    const list = body["messages"] ?? body["contents"] ?? body["input"];
    if (list === undefined) return classifyMessages([body], true, expected, envelope);
    const detectedDialect = expected.from === undefined ? (detected?.dialect ?? detectListDialect(list)) : undefined;
    return {
      ...resolveRecordDialect(body, kind, detectedDialect, expected),
      kind,
      value: body,
      envelope,
      isSingleMessage: false,
    };
  }
  const resolved = resolveRecordDialect(body, kind, detected?.dialect, expected);
  if (kind === undefined) {
    throw createRecordError("The record is not recognizable as a request, response, error or message; set --kind.");
  }
  return { ...resolved, kind, value: body, envelope, isSingleMessage: false };
}

function classifyMessages(
  list: readonly unknown[],
  isSingleMessage: boolean,
  expected: ExpectedInput,
  envelope: RecordEnvelope,
): ClassifiedRecord {
  if (expected.kind !== undefined && expected.kind !== "messages") {
    const article = expected.kind === "error" ? "an" : "a";
    throw createRecordError(
      `The record is ${isSingleMessage ? "a message" : "a list of messages"}, not ${article} ${expected.kind}; omit --kind.`,
    );
  }
  const detectedDialect = expected.from === undefined ? detectListDialect(list) : undefined;
  return {
    ...resolveRecordDialect(list, "messages", detectedDialect, expected),
    kind: "messages",
    value: list,
    envelope,
    isSingleMessage,
  };
}

function detectListDialect(list: unknown): string | undefined {
  return Array.isArray(list) ? detectMessageDialect(list) : undefined;
}

/**
 * Returns the dialect that the user named, otherwise the detected dialect, otherwise the most likely dialect. Throws if
 * only a guess is possible and guesses are not allowed.
 */
function resolveRecordDialect(
  value: unknown,
  kind: RecordKind | undefined,
  detectedDialect: string | undefined,
  { from, allowGuess, getDialect }: ExpectedInput,
): Pick<ClassifiedRecord, "dialect" | "isGuess"> {
  const dialect = from ?? (detectedDialect === undefined ? undefined : getDialect(detectedDialect));
  if (dialect !== undefined) return { dialect, isGuess: false };
  const guessed = allowGuess === true ? guessDialect(value, kind, getDialect) : undefined;
  if (guessed === undefined) throw createAmbiguousError(kind);
  return { dialect: guessed, isGuess: true };
}

/** Detects the kind of an object with `from`, if the user named it, and otherwise by fields that dialects share. */
function detectRecordKind(body: JsonObject, from: Dialect | undefined): RecordKind | undefined {
  const detectedKind = from?.detectKind(body);
  if (detectedKind !== undefined) return detectedKind;
  if (isMessage(body)) return "messages";
  const { messages, contents, input } = body;
  if (messages !== undefined || contents !== undefined || input !== undefined) {
    if (from !== undefined) return from.supports.has("requests") ? "request" : "messages";
    const isShape = hasMessagesWithParts(messages) || detectListDialect(messages) !== undefined;
    return isShape || body["model"] === undefined ? "messages" : "request";
  }
  if (Array.isArray(body["choices"]) || Array.isArray(body["candidates"]) || Array.isArray(body["output"])) {
    return "response";
  }
  return body["error"] === undefined ? undefined : "error";
}

function createRecordError(message: string): CliError {
  return new CliError("record", message);
}

function createAmbiguousError(kind: RecordKind | undefined): CliError {
  const noun = kind === undefined ? "record" : kind === "messages" ? "list of messages" : kind;
  return createRecordError(`The dialect of this ${noun} cannot be detected; set --from (${dialects.join(", ")}).`);
}
