// The words of the matrix: what a client is to do, what came of it in the same words for every SDK, and what an upstream
// heard. Nothing here knows Koine's dialects: the SDKs and the upstreams are the judges.
import type { UnifiedFinishReason } from "../../../src/index.ts";
import type { Scripted, UpstreamDialect } from "../../support/upstreams/index.ts";

export const MODES = ["whole", "stream"] as const;
export type Mode = (typeof MODES)[number];

/** The upstreams by the names that Koine knows them under; the router is a Chat server that shows its reasoning. */
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
  /** Strict everywhere: all properties required, no others. */
  schema: { type: "object"; properties: Record<string, object>; required: string[]; additionalProperties: false };
}

export interface Call {
  name: string;
  input: unknown;
}

/** What a client says, in nobody's words. */
export interface Task {
  system?: string;
  user: string;
  /** A PNG, base64. */
  image?: string;
  tools?: readonly ToolSpec[];
  /** What the tools say; calls are answered until there are none. */
  result?: (call: Call) => string | Promise<string>;
  /** The client sends back what everybody knows of an answer: no thoughts, no signatures, no ids of items. */
  plain?: true;
  /** The answer shall be JSON of this form. */
  schema?: ToolSpec["schema"];
  stop?: readonly string[];
  maxOutputTokens?: number;
  /** Asks the model to think, and to show it. */
  reasoning?: true;
  /** Goes on with these, one after another, once there is an answer. */
  later?: readonly string[];
  /** Leaves when the first text has come, or, where nothing comes in pieces, when the upstream has been asked. */
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

/** What the SDK threw. */
export interface Failure {
  /** Absent where the SDK knows none: the stream had begun, or nothing was answered. */
  status?: number;
  message: string;
  /** Whether it is the SDK's word for having been left. */
  isAbort: boolean;
  /** The text that had come by then. */
  text: string;
}

export interface Outcome {
  turns: Turn[];
  failure?: Failure;
}

/** Where a client finds Koine, or a provider itself. */
export interface Place {
  /** Without a version. */
  url: string;
  apiKey: string;
  model: string;
  headers?: Record<string, string>;
  /** Aborted when the client leaves. */
  signal?: AbortSignal;
  /** Called with each piece of a text that comes. */
  heard?: (piece: string) => void;
}

/** One way of using one SDK. */
export interface Client {
  id: string;
  /** For the table of the documentation. */
  title: string;
  dialect: UpstreamDialect;
  /** Plays the task and gives every answer; never throws what the SDK throws. */
  play(task: Task, mode: Mode, place: Place): Promise<Outcome>;
}

/** What an upstream was told, read from its wire. */
export interface Heard {
  system: string;
  user: string;
  images: string[];
  tools: string[];
  /** The texts of all results, in order. */
  results: string[];
  /** The calls that the history says were made. */
  calls: Call[];
  schema?: unknown;
  stop: string[];
  maxOutputTokens?: number;
  isReasoning: boolean;
  /** It knows the rest by the id of an answer that it has stored. */
  isContinued?: true;
}

/** A text, or what it must look like. */
export type Pattern = string | RegExp;

/** What must come of a cell. What is not said is not looked at. */
export interface Expected {
  turns: Partial<Turn>[];
  failure?: { status?: number | undefined; isAbort?: boolean; message?: Pattern; text?: Pattern };
  /** Of the last request. */
  heard?: Partial<Heard>;
  /** How many requests the upstream answered. */
  answered?: number;
  /** How the last exchange with the upstream ended. */
  ended?: "sent" | "reset" | "aborted";
  /** Everything that the upstream sealed in earlier answers came back with the last request. */
  seals?: true;
}

/** Who talks to whom, and how. */
export interface Seat {
  client: Client;
  upstream: UpstreamName;
  mode: Mode;
}

/** One row of the table, or a part of it: rows of one title are one. */
export interface Scenario {
  id: string;
  /** The row of the table. */
  title: string;
  modes: readonly Mode[];
  /** Where it is not played with the four providers. */
  upstreams?: readonly UpstreamName[];
  /** Where it is not the usual one. */
  models?: Partial<Record<UpstreamName, string>>;
  task: Task;
  /** Sent by the client. */
  headers?: Record<string, string>;
  answers: (at: Seat) => readonly Scripted[];
  expected: (at: Seat) => Expected;
}

/** One client, one upstream, one scenario, streamed or not. */
export interface Cell extends Seat {
  scenario: Scenario;
}
