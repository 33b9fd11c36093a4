// Copies a canonical value and adds a unique token to every text of its messages. In the encoding of the copy, the
// tokens show the position of each text. Empty texts get no token, because a token would change their encoding.
import type { Message, Part, ModelRequest, ModelResponse, Tool } from "koine";
import { isObject } from "koine";

/** Matches tokens: two letters and seven digits. Even strict rules for ids and names accept these characters. */
const TOKEN_PATTERN = /([A-Za-z]{2})\d{7}/g;
const LETTERS = "KnABCDEFGHIJLMNOPQRSTUVWXYZabcdefghijklmopqrstuvwxyz";
/**
 * Characters that extend a token from 9 to 12 characters, because the length of base64 data must be a multiple of four.
 */
const BASE64_PADDING = "KnK";

/**
 * Returns two letters that start no token-like text (two letters and seven digits) of the payload; undefined if the
 * payload has such texts with every pair of letters.
 */
function findFreePrefix(text: string): string | undefined {
  const usedPrefixes = new Set<string>();
  for (const [, letters = ""] of text.matchAll(TOKEN_PATTERN)) usedPrefixes.add(letters);
  for (const second of `n${LETTERS}`) {
    for (const first of LETTERS) if (!usedPrefixes.has(first + second)) return first + second;
  }
  return undefined;
}

export class PositionTokens {
  /** JSON pointers of the values that have a token. The index in this list is the number in the token. */
  readonly pointers: string[] = [];
  /**
   * Matches the tokens of this object; undefined if the payload uses all prefixes, so that no position can be found.
   */
  readonly pattern: RegExp | undefined;
  readonly #prefix: string;

  /** `payloadText` is the text of the whole payload, in which the tokens must not occur. */
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

  /**
   * Adds a token to the description of a function tool, because a description may be any text. A tool without a
   * description gets one.
   */
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
    // Calls with invalid arguments and calls of provider tools get no token, because their arguments must keep their
    // form.
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

  /** Adds a token to a JSON value: into a text, list or object, or in place of any other value. */
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

/**
 * Adds a token to base64 data: at the end, because media types are detected from the first bytes. Data with padding
 * gets the token at the start, because padding must stay last.
 */
function appendToken(base64: string, token: string): string {
  return base64.endsWith("=") ? token + base64 : base64 + token;
}
