// A client of the ledger's routes that validates every reply against the OpenAPI document.
import { Ajv2020 } from "ajv/dist/2020.js";
import type { ValidateFunction } from "ajv";
import type { RunInfo, SearchHit, Thread } from "../../../src/ledger/index.ts";
import type { Loss, StoredMessage } from "../../../src/model/index.ts";
import { getText } from "../../../src/model/index.ts";
import type { ConfigInput } from "../../../src/server/config/config-input.ts";
import type { KoineServer, ServerOptions } from "../../../src/server/server.ts";
import { startKoine } from "../support/start-koine.ts";

/** The fields of all replies; the document declares which of them a reply has. */
export interface Body extends Thread {
  threads: Thread[];
  next: string | null;
  messages: StoredMessage[];
  run: RunInfo;
  runs: RunInfo[];
  state: string;
  losses: (Loss & { dialect: string })[];
  wire: unknown;
  hits: SearchHit[];
  dialects: { id: string; supports: string[] }[];
  blob: string;
  error: { code: string; message: string; path: string };
}

export interface Answer {
  status: number;
  headers: Headers;
  /** The JSON of the reply; undefined for others. */
  body: Body;
  text: string;
}

interface Document {
  paths: Record<string, Record<string, { operationId: string; tags: string[]; responses: Record<string, unknown> }>>;
}

export interface Api extends AsyncDisposable {
  readonly koine: KoineServer;
  readonly document: Document;
  /** Ids of the operations that replied as documented. */
  readonly answered: Set<string>;
  call: (method: string, path: string, body?: unknown, headers?: Record<string, string>) => Promise<Answer>;
  get: (path: string, headers?: Record<string, string>) => Promise<Answer>;
  post: (path: string, body?: unknown, headers?: Record<string, string>) => Promise<Answer>;
}

export async function startApi(config: ConfigInput = {}, options: ServerOptions = {}): Promise<Api> {
  const koine = await startKoine(config, options);
  const document = (await (await fetch(`${koine.url}/openapi.json`)).json()) as Document;
  const judge = new Judge(document);
  const call: Api["call"] = async (method, path, body, headers = {}) => {
    const init: RequestInit = { method, headers: { "content-type": "application/json", ...headers } };
    if (body !== undefined) init.body = typeof body === "string" ? body : JSON.stringify(body);
    const reply = await fetch(koine.url + path, init);
    const text = await reply.text();
    const type = reply.headers.get("content-type") ?? "";
    const json = type.startsWith("application/json") ? text : "{}";
    // Validated below.
    const answer: Answer = { status: reply.status, headers: reply.headers, text, body: JSON.parse(json) as Body };
    judge.validateReply(method, path.split("?")[0] ?? "", answer, type);
    return answer;
  };
  return {
    koine,
    document,
    answered: judge.answered,
    call,
    get: (path, headers) => call("GET", path, undefined, headers),
    post: (path, body, headers) => call("POST", path, body, headers),
    [Symbol.asyncDispose]: () => koine.close(),
  };
}

/** Validates replies against the document. */
class Judge {
  readonly answered = new Set<string>();
  readonly #ajv = new Ajv2020({ strict: false });
  readonly #document: Document;
  readonly #templates: { template: string; pattern: RegExp }[];
  readonly #known = new Map<string, ValidateFunction>();

  constructor(document: Document) {
    this.#document = document;
    this.#ajv.addSchema({ ...document, $id: "koine:openapi" });
    this.#templates = Object.keys(document.paths)
      .map((template) => ({
        template,
        pattern: new RegExp(`^${template.replaceAll(/[.*+?^$()|[\]\\]/g, "\\$&").replaceAll(/\{\w+\}/g, "[^/]+")}$`),
      }))
      // Literal paths before those with parameters.
      .toSorted((a, b) => a.template.split("{").length - b.template.split("{").length);
  }

  validateReply(method: string, path: string, { status, body, text }: Answer, type: string): void {
    const match = this.#templates.find(({ pattern }) => pattern.test(path));
    if (match === undefined) return;
    const operation = this.#document.paths[match.template]?.[method.toLowerCase()];
    if (operation === undefined) return;
    const key = String(status) in operation.responses ? String(status) : "default";
    if (key === "default" && status < 400) throw new Error(`${method} ${path}: ${status} is not in the document.`);
    const media = type.split(";")[0] ?? "";
    const { content } = operation.responses[key] as { content?: Record<string, unknown> };
    if (content === undefined) {
      if (text !== "") throw new Error(`${method} ${path}: ${status} has a body, which the document denies.`);
    } else if (!(media in content))
      throw new Error(`${method} ${path}: ${status} is ${media}, which is not in the document.`);
    else if (media === "application/json") this.#validate([match.template, method.toLowerCase(), key], body);
    if (status < 400) this.answered.add(operation.operationId);
  }

  #validate([template = "", method, key]: string[], body: unknown): void {
    const schemaPath = [
      "paths",
      template,
      method ?? "",
      "responses",
      key ?? "",
      "content",
      "application/json",
      "schema",
    ];
    const pointer = schemaPath
      .map((step) => encodeURIComponent(step.replaceAll("~", "~0").replaceAll("/", "~1")))
      .join("/");
    const validate = this.#known.get(pointer) ?? this.#ajv.compile({ $ref: `koine:openapi#/${pointer}` });
    this.#known.set(pointer, validate);
    if (validate(body)) return;
    throw new Error(
      `${method} ${template}: the reply is not as documented: ${this.#ajv.errorsText(validate.errors)}\n${JSON.stringify(body)}`,
    );
  }
}

/** Creates a user message for a body. */
export function userMessage(text: string): { role: "user"; parts: [{ type: "text"; text: string }] } {
  return { role: "user", parts: [{ type: "text", text }] };
}
export function replied(text: string): { role: "assistant"; parts: [{ type: "text"; text: string }] } {
  return { role: "assistant", parts: [{ type: "text", text }] };
}

/** Creates a thread with these messages; returns their ids. */
export async function threadOf(api: Api, ...messages: object[]): Promise<{ id: string; ids: string[] }> {
  const { body } = await api.post("/v1/threads", { messages });
  const stored = await api.get(`/v1/threads/${body.id}/messages`);
  return { id: body.id, ids: stored.body.messages.map(({ id }) => id) };
}

/** Returns the first message of a reply. */
export function firstOf({ body }: Answer): StoredMessage {
  const [first] = body.messages;
  if (first === undefined) throw new Error("The reply has no message.");
  return first;
}

/** Returns the texts of a transcript. */
export async function textsOf(api: Api, threadId: string, query = ""): Promise<string[]> {
  const { body } = await api.get(`/v1/threads/${threadId}/messages${query}`);
  return body.messages.map(getText);
}
