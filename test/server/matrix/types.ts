// Types of the matrix: the task of a client, its outcome in one format for all SDKs, and the request of an upstream.
// Independent of Koine's dialects: the SDKs and upstreams are the reference.
import type { UnifiedFinishReason } from "../../../src/index.ts";
import type { Scripted, UpstreamDialect } from "../../support/upstreams/index.ts";

export const MODES = ["whole", "stream"] as const;
export type Mode = (typeof MODES)[number];

/** The upstreams by their provider names in Koine; the router is a Chat server with visible reasoning. */
export const UPSTREAMS = {
  chat: "openai-chat",
  responses: "openai-responses",
  anthropic: "anthropic",
  gemini: "gemini",
  router: "openai-chat",
} as const satisfies Record<string, UpstreamDialect>;
export type UpstreamName = keyof typeof UPSTREAMS;
export const PROVIDERS = ["chat", "responses", "anthropic", "gemini"] as const satisfies UpstreamName[];

export interface ToolSpec {
  name: string;
  description: string;
  /** Strict: all properties required, no others. */
  schema: { type: "object"; properties: Record<string, object>; required: string[]; additionalProperties: false };
}

export interface Call {
  name: string;
  input: unknown;
}

/** A client's task, independent of any SDK. */
export interface Task {
  system?: string;
  user: string;
  /** A PNG, base64. */
  image?: string;
  tools?: readonly ToolSpec[];
  /** Returns a tool result; calls are answered until there are none. */
  result?: (call: Call) => string | Promise<string>;
  /** The client sends back only standard fields: no reasoning, signatures or item ids. */
  plain?: true;
  /** The JSON schema of the answer. */
  schema?: ToolSpec["schema"];
  stop?: readonly string[];
  maxOutputTokens?: number;
  /** Enables visible reasoning. */
  reasoning?: true;
  /** Further user messages, each after an answer. */
  later?: readonly string[];
  /** The client disconnects at the first text, or, without streaming, when the upstream was called. */
  abort?: true;
}

export interface Counts {
  input: number;
  output: number;
  total?: number;
  cached?: number;
  reasoning?: number;
}

/** One answer, as the SDK shows it. */
export interface Turn {
  text: string;
  reasoning: string;
  refusal: string;
  calls: Call[];
  finish: UnifiedFinishReason;
  usage: Counts;
}

/** An error that the SDK threw. */
export interface Failure {
  /** Absent if the SDK has none: the stream had started, or there was no reply. */
  status?: number;
  message: string;
  /** True for the SDK's abort error. */
  isAbort: boolean;
  /** The text so far. */
  text: string;
}

export interface Outcome {
  turns: Turn[];
  failure?: Failure;
}

/** The address of Koine or of a provider. */
export interface ClientAddress {
  /** The URL without a version. */
  url: string;
  apiKey: string;
  model: string;
  headers?: Record<string, string>;
  /** Aborted when the client disconnects. */
  signal?: AbortSignal;
  /** Called with each text delta. */
  onText?: (delta: string) => void;
}

/** One way of using one SDK. */
export interface Client {
  id: string;
  /** The title in the documentation's table. */
  title: string;
  dialect: UpstreamDialect;
  /** Plays the task and returns all answers; never throws the SDK's errors. */
  play(task: Task, mode: Mode, address: ClientAddress): Promise<Outcome>;
}

/** The request of an upstream, read from its wire. */
export interface UpstreamRequest {
  system: string;
  user: string;
  images: string[];
  tools: string[];
  /** The texts of all tool results, in order. */
  results: string[];
  /** The tool calls in the history. */
  calls: Call[];
  schema?: unknown;
  stop: string[];
  maxOutputTokens?: number;
  isReasoning: boolean;
  /** The upstream has the history stored, by a response id. */
  isContinued?: true;
}

/** A text, or a pattern for it. */
export type Pattern = string | RegExp;

/** The expected outcome of a cell; absent fields are not checked. */
export interface Expected {
  turns: Partial<Turn>[];
  failure?: { status?: number | undefined; isAbort?: boolean; message?: Pattern; text?: Pattern };
  /** Expectations for the last request. */
  upstreamRequest?: Partial<UpstreamRequest>;
  /** The number of requests that the upstream answered. */
  answered?: number;
  /** How the last exchange with the upstream ended. */
  ended?: "sent" | "reset" | "aborted";
  /** All seals of earlier answers were in the last request. */
  seals?: true;
}

/** A client, an upstream and a mode. */
export interface ClientAndUpstream {
  client: Client;
  upstream: UpstreamName;
  mode: Mode;
}

/** A row of the table, or a part of one: rows with the same title are merged. */
export interface Scenario {
  id: string;
  /** The title of the row. */
  title: string;
  modes: readonly Mode[];
  /** The upstreams, if not the four providers. */
  upstreams?: readonly UpstreamName[];
  /** The models, if not the usual ones. */
  models?: Partial<Record<UpstreamName, string>>;
  task: Task;
  /** Headers of the client. */
  headers?: Record<string, string>;
  answers: (at: ClientAndUpstream) => readonly Scripted[];
  expected: (at: ClientAndUpstream) => Expected;
}

/** One client, upstream, scenario and mode. */
export interface Cell extends ClientAndUpstream {
  scenario: Scenario;
}
