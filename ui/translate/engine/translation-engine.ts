// Handles the requests of the page: reads one source at a time and encodes it in the requested dialects. Every failure
// becomes a response, because the page waits for a response to each request.
import type { Message, ModelRequest } from "koine";
import { generateCode } from "../code/generate-code.ts";
import type { EngineResponse, EngineRequest, TranslatedColumn, TranslationSource, ColumnTarget } from "../types.ts";
import type { DecodedPayload } from "./decode-payload.ts";
import { encodeColumn } from "./encode-column.ts";
import type { DecodedSource } from "./read-source.ts";
import { readSource } from "./read-source.ts";

export class TranslationEngine {
  #current: { turn: number; read: DecodedSource } | undefined;
  /**
   * The whole conversation for which code was generated last, if the view shows only a part of it. It is kept, so that
   * another choice of model for the code does not read the conversation again.
   */
  #codeSource: { content: TranslationSource["content"]; read: ReturnType<typeof readSource> } | undefined;

  /** Returns the response to a request; undefined if the request belongs to an earlier source. */
  handle(request: EngineRequest): EngineResponse | undefined {
    const { turn } = request;
    if (request.type === "read") return this.#read(turn, request.source);
    if (this.#current?.turn !== turn) return undefined;
    if (request.type === "encode")
      return { type: "column", turn, column: createColumn(this.#current.read, request.target) };
    try {
      return { type: "code", turn, ...this.#generateCode(this.#current.read, request) };
    } catch (error) {
      return { type: "code", turn, codes: [], failure: toMessage(error) };
    }
  }

  #read(turn: number, source: TranslationSource): EngineResponse {
    this.#current = undefined;
    this.#codeSource = undefined;
    try {
      const result = readSource(source);
      if ("failure" in result) return { type: "unread", turn, failure: result.failure };
      this.#current = { turn, read: result };
      return { type: "read", turn, reading: result.reading };
    } catch (error) {
      return { type: "unread", turn, failure: { message: toMessage(error) } };
    }
  }

  #generateCode(
    shown: DecodedSource,
    { options, source }: EngineRequest & { type: "code" },
  ): Pick<EngineResponse & { type: "code" }, "codes" | "failure"> {
    let result: ReturnType<typeof readSource> = shown;
    if (source !== undefined) {
      if (this.#codeSource?.content !== source.content)
        this.#codeSource = { content: source.content, read: readSource(source) };
      result = this.#codeSource.read;
    }
    if ("failure" in result) return { codes: [], failure: result.failure.message };
    const request = toRequest(result.canonical);
    return { codes: request === undefined ? [] : generateCode(request, options) };
  }
}

function toMessage(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}

/** Encodes a column. An error becomes the column's failure, so that it does not affect other dialects. */
function createColumn(source: DecodedSource, target: ColumnTarget): TranslatedColumn {
  try {
    return encodeColumn(source, target);
  } catch (error) {
    return { target, title: target.dialect, losses: [], envelope: [], remarks: [], failure: toMessage(error) };
  }
}

/**
 * Returns the request that a model could answer: a request itself, or a request with the messages up to the last user
 * or tool message. Returns undefined for payloads of other kinds.
 */
function toRequest(canonical: DecodedPayload): ModelRequest | undefined {
  if (canonical.kind === "request") return canonical.value;
  if (canonical.kind !== "messages") return undefined;
  const messages: Message[] = canonical.value;
  const last = messages.findLastIndex(({ role }) => role === "user" || role === "tool");
  return last < 0 ? undefined : { messages: messages.slice(0, last + 1) };
}
