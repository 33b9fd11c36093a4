// A record as the model has it: the request, the response, the messages or the error that it says, a stream put together.
import { AssemblyError, RunAssembler } from "../../assembly/index.ts";
import type { Dialect } from "../../dialects/index.ts";
import { isObject } from "../../model/index.ts";
import type { Delta, Message, ProviderError, ModelRequest, ModelResponse } from "../../model/index.ts";
import { validateMessages } from "../../model/index.ts";
import { CliError } from "../exit.ts";
import type { ClassifiedRecord } from "../read/classify-record.ts";
import type { EventTaker } from "./streams.ts";

export type Decoded =
  | { kind: "request"; value: ModelRequest }
  | { kind: "response"; value: ModelResponse }
  | { kind: "messages"; value: Message[] }
  | { kind: "error"; value: ProviderError };

export function decodeRecord({ dialect, kind, value, envelope: beside }: ClassifiedRecord): Decoded {
  switch (kind) {
    case "request":
      return { kind, value: dialect.decodeRequest(value, beside) };
    case "response":
      return { kind, value: dialect.decodeResponse(value, beside) };
    case "messages":
      return { kind, value: readMessages(dialect, value) };
    case "error":
      return { kind, value: dialect.decodeError(value, beside.status) };
    default:
      throw new CliError("record", "It is one event of a stream; give --kind stream if the whole file is one.");
  }
}

/** Messages of the model that were never stored have no version; they are shown all the same. */
function readMessages(dialect: Dialect, value: unknown): Message[] {
  const list: unknown = isObject(value) ? value["messages"] : value;
  if (dialect.id !== "canonical" || !Array.isArray(list) || list.some(hasVersion)) return dialect.decodeMessages(value);
  const issue = validateMessages(list).find(({ code }) => code === "wrong-type" || code === "missing-field");
  if (issue !== undefined) throw new CliError("record", `${issue.path}: ${issue.message}`);
  // Nothing in their structure is wrong.
  return list as Message[];
}

function hasVersion(message: unknown): boolean {
  const metadata = isObject(message) ? message["metadata"] : undefined;
  return isObject(metadata) && metadata["schemaVersion"] !== undefined;
}

interface Assembled {
  messages: Message[];
  responses: ModelResponse[];
}

interface StreamReader {
  whole(assembled: Assembled): void;
  /** What had arrived of a stream that broke off. */
  rest(messages: Message[]): void;
}

/** Puts a stream together. One that breaks off fails after its rest was handed over. */
export function decodeStream(dialect: Dialect, reader: StreamReader): EventTaker {
  const decoder = dialect.streamDecoder();
  const assembler = new RunAssembler();
  const take = (deltas: readonly Delta[]): void => {
    for (const delta of deltas) assembler.push(delta);
  };
  return {
    push: (event) => take(decoder.push(event)),
    end() {
      let assembled: Assembled;
      try {
        take(decoder.end());
        assembled = assembler.finish();
      } catch (error) {
        if (error instanceof AssemblyError) {
          reader.rest([...(error.messages ?? []), ...(error.partial === undefined ? [] : [error.partial])]);
        }
        throw error;
      }
      reader.whole(assembled);
    },
  };
}

/** What a stream has brought: the response where it is one answer, else the messages of its run. */
export function decodedStream({ messages, responses }: Assembled): Extract<Decoded, { kind: "response" | "messages" }> {
  const [only] = responses;
  const isOne = messages.length === 1 && only !== undefined;
  return isOne ? { kind: "response", value: only } : { kind: "messages", value: messages };
}
