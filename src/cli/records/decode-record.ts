// Decodes a record to a canonical request, response, message list or error, and assembles the events of a stream.
import { AssemblyError, RunAssembler } from "../../assembly/index.ts";
import type { Dialect } from "../../dialects/index.ts";
import { isObject } from "../../model/index.ts";
import type { Delta, Message, ProviderError, ModelRequest, ModelResponse } from "../../model/index.ts";
import { validateMessages } from "../../model/index.ts";
import { CliError } from "../exit.ts";
import type { ClassifiedRecord } from "../read/classify-record.ts";
import type { StreamEventConsumer } from "./stream-input.ts";

export type DecodedRecord =
  | { kind: "request"; value: ModelRequest }
  | { kind: "response"; value: ModelResponse }
  | { kind: "messages"; value: Message[] }
  | { kind: "error"; value: ProviderError };

export function decodeRecord({ dialect, kind, value, envelope }: ClassifiedRecord): DecodedRecord {
  switch (kind) {
    case "request":
      return { kind, value: dialect.decodeRequest(value, envelope) };
    case "response":
      return { kind, value: dialect.decodeResponse(value, envelope) };
    case "messages":
      return { kind, value: decodeMessages(dialect, value) };
    case "error":
      return { kind, value: dialect.decodeError(value, envelope.status) };
    default:
      throw new CliError(
        "record",
        "The record is one event of a stream; use --kind stream if the whole file is one stream.",
      );
  }
}

/** Decodes a message list. Accepts canonical messages without a version, which were never stored. */
function decodeMessages(dialect: Dialect, value: unknown): Message[] {
  const list: unknown = isObject(value) ? value["messages"] : value;
  if (dialect.id !== "canonical" || !Array.isArray(list) || list.some(hasVersion)) return dialect.decodeMessages(value);
  const issue = validateMessages(list).find(({ code }) => code === "wrong-type" || code === "missing-field");
  if (issue !== undefined) throw new CliError("record", `${issue.path}: ${issue.message}`);
  // The cast is safe, because validateMessages found no missing field and no wrong type.
  return list as Message[];
}

function hasVersion(message: unknown): boolean {
  const metadata = isObject(message) ? message["metadata"] : undefined;
  return isObject(metadata) && metadata["schemaVersion"] !== undefined;
}

interface AssembledStream {
  messages: Message[];
  responses: ModelResponse[];
}

interface AssembledStreamHandler {
  onComplete(assembled: AssembledStream): void;
  /** Receives the messages, the last one possibly partial, that arrived before the stream was interrupted. */
  onInterrupted(messages: Message[]): void;
}

/** Returns a consumer that assembles a stream. If the stream is interrupted, `end` calls `onInterrupted` and throws. */
export function assembleStream(dialect: Dialect, handler: AssembledStreamHandler): StreamEventConsumer {
  const decoder = dialect.streamDecoder();
  const assembler = new RunAssembler();
  const pushDeltas = (deltas: readonly Delta[]): void => {
    for (const delta of deltas) assembler.push(delta);
  };
  return {
    push: (event) => pushDeltas(decoder.push(event)),
    end() {
      let assembled: AssembledStream;
      try {
        pushDeltas(decoder.end());
        assembled = assembler.finish();
      } catch (error) {
        if (error instanceof AssemblyError) {
          handler.onInterrupted([...(error.messages ?? []), ...(error.partial === undefined ? [] : [error.partial])]);
        }
        throw error;
      }
      handler.onComplete(assembled);
    },
  };
}

/** Returns the response if the stream is one answer, otherwise the messages of its run. */
export function toDecodedRecord({
  messages,
  responses,
}: AssembledStream): Extract<DecodedRecord, { kind: "response" | "messages" }> {
  const [response] = responses;
  const isSingleAnswer = messages.length === 1 && response !== undefined;
  return isSingleAnswer ? { kind: "response", value: response } : { kind: "messages", value: messages };
}
