// One record to the target's words. A target that has no requests or responses gets the messages of them, and what else
// they say is in the losses.
import type { Dialect, Encoded, EncodeMessagesOptions } from "../../dialects/index.ts";
import type { Loss, Message, Metadata, ModelRequest, ModelResponse } from "../../model/index.ts";
import type { ClassifiedRecord } from "../read/classify-record.ts";
import { CliError } from "../exit.ts";

export interface Target {
  to: Dialect;
  /** The model to ask instead; messages become a request to it. */
  model?: string | undefined;
  repair: boolean;
  /** Ids and times for shapes that need them. */
  making: EncodeMessagesOptions;
}

export interface Converted extends Encoded {
  status?: number;
}

export function convertRecord(record: ClassifiedRecord, target: Target): Converted {
  const { dialect, kind, value, envelope: beside } = record;
  switch (kind) {
    case "request":
      return encodeRequest(dialect.decodeRequest(value, beside), target);
    case "response":
      return encodeResponse(dialect.decodeResponse(value, beside), target);
    case "messages":
      return encodeMessages(dialect.decodeMessages(value), target);
    case "error":
      return { ...target.to.encodeError(dialect.decodeError(value, beside.status)), losses: [] };
    case "stream":
      throw new CliError("record", "It is one event of a stream; give --kind stream if the whole file is one.");
    default:
      throw new CliError("record", `There is no kind "${String(kind)}".`);
  }
}

function encodeRequest(given: ModelRequest, { to, model, repair, making }: Target): Converted {
  const request = model === undefined ? given : { ...given, model };
  if (to.supports.has("requests")) return to.encodeRequest(request, { repair });
  const { wire, losses } = writeMessages(to, request.messages, making);
  return { wire, losses: [...under("/messages", losses), ...unsaid(request, "messages", to)] };
}

/** What a library tells those who call it, in words for those who call a program. */
const REWORDED: Readonly<Record<string, string>> = {
  "stored-fields-synthesized": "Never stored; the id, parent, time and version that were missing have been made.",
  "run-id-synthesized": "No run is known; its id is empty.",
  "timestamp-synthesized": "No time is known; the beginning of 1970 stands for it.",
};

function writeMessages(to: Dialect, messages: readonly Message[], making: EncodeMessagesOptions): Converted {
  const { losses, ...rest } = to.encodeMessages(messages, making);
  return { ...rest, losses: losses.map(reworded) };
}

export function reworded(loss: Loss): Loss {
  const message = REWORDED[loss.code];
  return message === undefined ? loss : { ...loss, message };
}

/** A list becomes a request where there is a model to ask; else it stays a list, or the fragment that stands for one. */
export function encodeMessages(messages: Message[], target: Target): Converted {
  const { to, model, repair, making } = target;
  if (model !== undefined && to.supports.has("requests")) return to.encodeRequest({ model, messages }, { repair });
  return writeMessages(to, messages, making);
}

/** What a response says beside its message that a message's metadata has a name for. */
const MOVED = ["finishReason", "model", "usage"] as const;

function encodeResponse(response: ModelResponse, { to, repair, making }: Target): Converted {
  if (to.supports.has("responses")) return to.encodeResponse(response, { repair });
  const { message, model, finishReason, usage, ...rest } = response;
  const metadata: Metadata = { ...message.metadata, finishReason };
  if (model !== "") metadata.model = model;
  if (usage !== undefined) metadata.usage = usage;
  const { wire, losses } = writeMessages(to, [{ ...message, metadata }], making);
  const placed = losses.flatMap((loss) => inResponse(loss, metadata));
  return { wire, losses: [...placed, ...unsaid(rest, "", to)] };
}

/** A loss of the only message, at its place in the response; what was moved into the metadata has its own place. */
function inResponse(loss: Loss, metadata: Metadata): Loss[] {
  const path = loss.path.replace(/^\/0/, "");
  const at = (place: string): Loss => ({ ...loss, path: place });
  const moved = MOVED.find((field) => path === `/metadata/${field}` || path.startsWith(`/metadata/${field}/`));
  if (moved !== undefined) return [at(path.slice("/metadata".length))];
  const isAll = path === "" || path === "/metadata";
  const fields = isAll ? MOVED.filter((field) => metadata[field] !== undefined) : [];
  return [at(`/message${path}`), ...fields.map((field) => at(`/${field}`))];
}

/** The messages of a run whose answers were streamed. */
export function encodeAnswers(messages: Message[], responses: readonly ModelResponse[], target: Target): Converted {
  const [only] = responses;
  if (responses.length === 1 && messages.length === 1 && only !== undefined) return encodeResponse(only, target);
  return writeMessages(target.to, messages, target.making);
}

function under(prefix: string, losses: readonly Loss[]): Loss[] {
  return losses.map((loss) => ({ ...loss, path: prefix + loss.path }));
}

/** A loss for each field that stands beside the messages. */
function unsaid(value: object, messages: string, to: Dialect): Loss[] {
  return Object.entries(value).flatMap(([field, content]): Loss[] => {
    if (field === messages || content === undefined || content === "") return [];
    return [
      {
        path: `/${field}`,
        action: "dropped",
        level: field === "extra" && isForm(content) ? "note" : "loss",
        code: "field-outside-messages",
        message: `${to.title} has messages only; what stands beside them is left out.`,
      },
    ];
  });
}

/** Whether residue tells nothing but how plain things were spelled. */
function isForm(extra: unknown): boolean {
  return Object.values(Object(extra) as Record<string, object>).every((residue) =>
    Object.keys(residue).every((key) => key === "$form"),
  );
}
