// Copies a canonical value and adds a unique token to every text of its messages. The encoded copy shows where each
// text went. Empty texts get no token, because that would change the encoding.
import type { Message, Part, ModelRequest, ModelResponse, Tool } from "koine";
import { isObject } from "koine";

/** Two letters and seven digits, which even strict rules for ids and names accept. */
const TOKEN_PATTERN = /([A-Za-z]{2})\d{7}/g;
const LETTERS = "KnABCDEFGHIJLMNOPQRSTUVWXYZabcdefghijklmopqrstuvwxyz";
/** Extends a token to a multiple of four base64 characters. */
const BASE64_PADDING = "KnK";

/** Returns a prefix that no token-like text of the payload has; undefined if all are used. */
function findFreePrefix(text: string): string | undefined {
  const usedPrefixes = new Set<string>();
  for (const [, letters = ""] of text.matchAll(TOKEN_PATTERN)) usedPrefixes.add(letters);
  for (const second of `n${LETTERS}`) {
    for (const first of LETTERS) if (!usedPrefixes.has(first + second)) return first + second;
  }
  return undefined;
}

export class TokenMarker {
  /** By token number: the JSON pointer of the marked value. */
  readonly pointers: string[] = [];
  /** undefined if no prefix is free; then no position can be found. */
  readonly pattern: RegExp | undefined;
  readonly #prefix: string;

  /** `payloadText`: the whole payload. */
  constructor(payloadText: string) {
    const prefix = findFreePrefix(payloadText);
    this.#prefix = prefix ?? "Kn";
    this.pattern = prefix === undefined ? undefined : new RegExp(`${prefix}(\\d{7})`, "g");
  }

  #token(pointer: string): string {
    this.pointers.push(pointer);
    return this.#prefix + String(this.pointers.length - 1).padStart(7, "0");
  }

  request(request: ModelRequest): ModelRequest {
    const marked = { ...request, messages: this.messages(request.messages, "/messages") };
    if (request.tools !== undefined) marked.tools = request.tools.map((tool, at) => this.#tool(tool, `/tools/${at}`));
    return marked;
  }

  response(response: ModelResponse): ModelResponse {
    const marked = { ...response, message: this.#message(response.message, "/message") };
    if (response.alternatives !== undefined) {
      marked.alternatives = response.alternatives.map((each, at) =>
        Object.assign({}, each, { message: this.#message(each.message, `/alternatives/${at}/message`) }),
      );
    }
    return marked;
  }

  messages(messages: readonly Message[], path: string): Message[] {
    return messages.map((message, at) => this.#message(message, `${path}/${at}`));
  }

  #message(message: Message, path: string): Message {
    return { ...message, parts: this.#parts(message.parts, `${path}/parts`) };
  }

  #parts(parts: readonly Part[], path: string): Part[] {
    return parts.map((part, at) => this.#part(part, `${path}/${at}`));
  }

  /** The description of a tool may be any text, so a token can be added even if there is none. */
  #tool(tool: Tool, path: string): Tool {
    if (tool.type !== "function") return tool;
    return { ...tool, description: this.#token(`${path}/description`) + (tool.description ?? "") };
  }

  #part(part: Part, path: string): Part {
    switch (part.type) {
      case "text":
      case "refusal":
        return { ...part, text: this.#text(part.text, `${path}/text`) };
      case "reasoning":
        return this.#reasoning(part, path);
      case "tool-call":
        return this.#call(part, path);
      case "tool-result":
        return this.#result(part, path);
      case "image":
      case "audio":
      case "video":
      case "file":
        return this.#media(part, path);
      default:
        return part;
    }
  }

  #text(text: string, path: string): string {
    return text.trim() === "" ? text : this.#token(path) + text;
  }

  #reasoning(part: Part & { type: "reasoning" }, path: string): Part {
    const marked = { ...part, text: this.#text(part.text, `${path}/text`) };
    if (part.summary !== undefined) {
      marked.summary = part.summary.map((each, at) => this.#text(each, `${path}/summary/${at}`));
    }
    return marked;
  }

  #call(part: Part & { type: "tool-call" }, path: string): Part {
    const { inputText, ...rest } = part;
    // Invalid arguments and provider tools with a fixed shape are left unchanged.
    if (part.invalid === true || part.tool !== undefined) return part;
    const input = this.#value(part.input, `${path}/input`);
    return inputText !== undefined && typeof input === "string"
      ? { ...rest, input, inputText: input }
      : { ...rest, input };
  }

  #result(part: Part & { type: "tool-result" }, path: string): Part {
    const marked = { ...part };
    if (part.output !== undefined && part.tool === undefined)
      marked.output = this.#value(part.output, `${path}/output`);
    if (part.content !== undefined) marked.content = this.#parts(part.content, `${path}/content`);
    return marked;
  }

  /** Marks any JSON value: extends a text, object or list, and replaces everything else. */
  #value(value: unknown, path: string): unknown {
    if (typeof value === "string") return this.#text(value, path);
    const token = this.#token(path);
    if (Array.isArray(value)) return [...(value as unknown[]), token];
    return isObject(value) ? { ...value, [token]: token } : token;
  }

  #media<P extends Part & { type: "image" | "audio" | "video" | "file" }>(part: P, path: string): P {
    const marked = { ...part };
    if (part.text !== undefined) marked.text = this.#text(part.text, `${path}/text`);
    if (part.url !== undefined && !part.url.startsWith("data:"))
      marked.url = `${part.url}#${this.#token(`${path}/url`)}`;
    if (part.fileId !== undefined) marked.fileId = part.fileId + this.#token(`${path}/fileId`);
    if (part.data !== undefined) marked.data = appendToken(part.data, this.#token(`${path}/data`) + BASE64_PADDING);
    if (part.content !== undefined) marked.content = this.#parts(part.content, `${path}/content`);
    return marked;
  }
}

/** At the end, because media types are detected from the first bytes; before a padded end, which must stay last. */
function appendToken(base64: string, token: string): string {
  return base64.endsWith("=") ? token + base64 : base64 + token;
}
