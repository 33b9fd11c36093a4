// Converts one record to the target dialect. If the target dialect does not support requests or responses, only their
// messages are written, and each other field is reported as a loss.
import type { Dialect, Encoded, EncodeMessagesOptions } from "../../dialects/index.ts";
import type { Loss, Message, Metadata, ModelRequest, ModelResponse } from "../../model/index.ts";
import type { ClassifiedRecord } from "../read/classify-record.ts";
import { CliError } from "../exit.ts";

export interface ConversionTarget {
  to: Dialect;
  /**
   * The model of `--model`, which replaces the model of a request. If it is set, a message list is written as a
   * request.
   */
  model?: string | undefined;
  repair: boolean;
  /**
   * The clock and the id generator for canonical messages that have no time and no id, because they were never stored.
   */
  encodeOptions: EncodeMessagesOptions;
}

export interface ConvertedRecord extends Encoded {
  status?: number;
}

export function convertRecord(record: ClassifiedRecord, target: ConversionTarget): ConvertedRecord {
  const { dialect, kind, value, envelope } = record;
  switch (kind) {
    case "request":
      return encodeRequest(dialect.decodeRequest(value, envelope), target);
    case "response":
      return encodeResponse(dialect.decodeResponse(value, envelope), target);
    case "messages":
      return encodeMessages(dialect.decodeMessages(value), target);
    case "error":
      return { ...target.to.encodeError(dialect.decodeError(value, envelope.status)), losses: [] };
    case "stream":
      throw new CliError(
        "record",
        "The record is one event of a stream; use --kind stream if the whole file is one stream.",
      );
    default:
      throw new CliError("record", `There is no kind "${String(kind)}".`);
  }
}

function encodeRequest(original: ModelRequest, target: ConversionTarget): ConvertedRecord {
  const { to, model, repair, encodeOptions } = target;
  const request = model === undefined ? original : { ...original, model };
  if (to.supports.has("requests")) return to.encodeRequest(request, { repair });
  const { wire, losses } = encodeMessageList(to, request.messages, encodeOptions);
  return {
    wire,
    losses: [...prefixPaths("/messages", losses), ...reportFieldsOutsideMessages(request, "messages", to)],
  };
}

/**
 * The texts that replace the message of a loss, by loss code, because the original messages name options of the
 * library.
 */
const CLI_LOSS_MESSAGES: Readonly<Record<string, string>> = {
  "stored-fields-synthesized": "The message was never stored; the missing id, parent, time and version were generated.",
  "run-id-synthesized": "The run is not known; its id is empty.",
  "timestamp-synthesized": "The time is not known; 1970-01-01 was written instead.",
};

function encodeMessageList(
  to: Dialect,
  messages: readonly Message[],
  encodeOptions: EncodeMessagesOptions,
): ConvertedRecord {
  const { losses, ...rest } = to.encodeMessages(messages, encodeOptions);
  return { ...rest, losses: losses.map(withCliMessage) };
}

export function withCliMessage(loss: Loss): Loss {
  const message = CLI_LOSS_MESSAGES[loss.code];
  return message === undefined ? loss : { ...loss, message };
}

/** Encodes a message list: as a request if the target has a model, otherwise as a message list of the dialect. */
export function encodeMessages(messages: Message[], target: ConversionTarget): ConvertedRecord {
  const { to, model, repair, encodeOptions } = target;
  if (model !== undefined && to.supports.has("requests")) return to.encodeRequest({ model, messages }, { repair });
  return encodeMessageList(to, messages, encodeOptions);
}

/** The response fields that are written as message metadata if the target dialect does not support responses. */
const METADATA_FIELDS = ["finishReason", "model", "usage"] as const;

function encodeResponse(response: ModelResponse, { to, repair, encodeOptions }: ConversionTarget): ConvertedRecord {
  if (to.supports.has("responses")) return to.encodeResponse(response, { repair });
  const { message, model, finishReason, usage, ...rest } = response;
  const metadata: Metadata = { ...message.metadata, finishReason };
  if (model !== "") metadata.model = model;
  if (usage !== undefined) metadata.usage = usage;
  const { wire, losses } = encodeMessageList(to, [{ ...message, metadata }], encodeOptions);
  const responseLosses = losses.flatMap((loss) => toResponsePaths(loss, metadata));
  return { wire, losses: [...responseLosses, ...reportFieldsOutsideMessages(rest, "", to)] };
}

/**
 * Returns the loss of a response that was encoded as a list with one message, with its path in the response:
 * METADATA_FIELDS are metadata of the message, but top-level fields of the response. A loss of all metadata becomes
 * several.
 */
function toResponsePaths(loss: Loss, metadata: Metadata): Loss[] {
  const path = loss.path.replace(/^\/0/, "");
  const withPath = (newPath: string): Loss => ({ ...loss, path: newPath });
  const movedField = METADATA_FIELDS.find(
    (field) => path === `/metadata/${field}` || path.startsWith(`/metadata/${field}/`),
  );
  if (movedField !== undefined) return [withPath(path.slice("/metadata".length))];
  const isAll = path === "" || path === "/metadata";
  const fields = isAll ? METADATA_FIELDS.filter((field) => metadata[field] !== undefined) : [];
  return [withPath(`/message${path}`), ...fields.map((field) => withPath(`/${field}`))];
}

/** Encodes an assembled stream: as a response if it is one answer, otherwise as a message list. */
export function encodeAnswers(
  messages: Message[],
  responses: readonly ModelResponse[],
  target: ConversionTarget,
): ConvertedRecord {
  const [singleResponse] = responses;
  if (responses.length === 1 && messages.length === 1 && singleResponse !== undefined)
    return encodeResponse(singleResponse, target);
  return encodeMessageList(target.to, messages, target.encodeOptions);
}

function prefixPaths(prefix: string, losses: readonly Loss[]): Loss[] {
  return losses.map((loss) => ({ ...loss, path: prefix + loss.path }));
}

/**
 * Returns a loss for each field of `value` that is not empty, because the dialect has only messages; the field with the
 * name `messages` (a parameter) is left out.
 */
function reportFieldsOutsideMessages(value: object, messages: string, to: Dialect): Loss[] {
  return Object.entries(value).flatMap(([field, content]): Loss[] => {
    if (field === messages || content === undefined || content === "") return [];
    return [
      {
        path: `/${field}`,
        action: "dropped",
        level: field === "extra" && hasOnlyForms(content) ? "note" : "loss",
        code: "field-outside-messages",
        message: `${to.title} has only messages; this field was not written.`,
      },
    ];
  });
}

/** True if the residue contains only forms, whose loss does not change the meaning of the record. */
function hasOnlyForms(extra: unknown): boolean {
  return Object.values(Object(extra) as Record<string, object>).every((residue) =>
    Object.keys(residue).every((key) => key === "$form"),
  );
}
