// A copy of a canonical value in which every text of its messages carries a token of its own. Encoded, it shows where each
// of them went. Nothing that is empty gets a token: that would change what is said.
import type { Message, Part, ModelRequest, Response, Tool } from "koine";
import { isObject } from "koine";

/** Nine letters and digits: what even the strictest rules for ids and names let through. */
const TOKENS = /([A-Za-z]{2})\d{7}/g;
const LETTERS = "KnABCDEFGHIJLMNOPQRSTUVWXYZabcdefghijklmopqrstuvwxyz";
/** Makes the length of a token that of whole groups of base64. */
const FILL = "KnK";

/** Two letters with which no token begins in a text; undefined for one that has been made to hold them all. */
function freePrefix(text: string): string | undefined {
  const taken = new Set<string>();
  for (const [, letters = ""] of text.matchAll(TOKENS)) taken.add(letters);
  for (const second of `n${LETTERS}`) {
    for (const first of LETTERS) if (!taken.has(first + second)) return first + second;
  }
  return undefined;
}

export class Marker {
  /** By the number of a token: the place that it stands for, a JSON pointer. */
  readonly places: string[] = [];
  /** undefined where nothing can be told from what is said already: then no place is known. */
  readonly pattern: RegExp | undefined;
  readonly #prefix: string;

  /** `said`: everything that the payload says already. */
  constructor(said: string) {
    const prefix = freePrefix(said);
    this.#prefix = prefix ?? "Kn";
    this.pattern = prefix === undefined ? undefined : new RegExp(`${prefix}(\\d{7})`, "g");
  }

  #token(place: string): string {
    this.places.push(place);
    return this.#prefix + String(this.places.length - 1).padStart(7, "0");
  }

  request(request: ModelRequest): ModelRequest {
    const marked = { ...request, messages: this.messages(request.messages, "/messages") };
    if (request.tools !== undefined) marked.tools = request.tools.map((tool, at) => this.#tool(tool, `/tools/${at}`));
    return marked;
  }

  response(response: Response): Response {
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

  /** A description is words for a model: it may say anything, and be there where it was not. */
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
    // Arguments that cannot be read, and tools with a shape of their own, are not to be touched.
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

  /** Any JSON value: a text grows, an object or a list gains something, all else is replaced. */
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
    if (part.data !== undefined) marked.data = withToken(part.data, this.#token(`${path}/data`) + FILL);
    if (part.content !== undefined) marked.content = this.#parts(part.content, `${path}/content`);
    return marked;
  }
}

/** At the end, because the beginning tells what kind of media it is; before the padding, which must stay last. */
function withToken(base64: string, token: string): string {
  return base64.endsWith("=") ? token + base64 : base64 + token;
}
