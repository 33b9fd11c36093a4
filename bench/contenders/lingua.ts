// @braintrust/lingua-wasm as a contender. Its representation has only messages, so its round trip measures only
// messages: the rest of the body is not changed. Lingua returns whole bodies unchanged if source and target
// dialect are the same.
import type { JsonObject, JsonValue } from "../../src/index.ts";
import { ADDITION, APPENDED } from "../wire/edit.ts";
import { WIRES } from "../wire/index.ts";
import type { DialectName } from "../wire/wire.ts";
import type { Contender, RoundTripJob, StreamJob } from "./contender.ts";
import { absent, unreported } from "./contender.ts";
import { loadPeer } from "./install.ts";

type Convert = (messages: unknown) => unknown;
type Transform = (text: string, target: string, model?: string) => { data: unknown };

interface Lingua {
  chat_completions_messages_to_lingua: Convert;
  lingua_to_chat_completions_messages: Convert;
  responses_messages_to_lingua: Convert;
  lingua_to_responses_messages: Convert;
  anthropic_messages_to_lingua: Convert;
  lingua_to_anthropic_messages: Convert;
  google_contents_to_lingua: Convert;
  lingua_to_google_contents: Convert;
  transform_request: Transform;
  transform_response: Transform;
  TransformStreamSession: new (target: string) => StreamSession;
}

/** Converts the data of one event to the events of the target, as text. */
interface StreamSession {
  pushSse(data: string): string[];
  finishSse(): string[];
  free(): void;
}

const FORMATS: Record<DialectName, { format: string; decode: keyof Lingua; encode: keyof Lingua }> = {
  "openai-chat": {
    format: "openai",
    decode: "chat_completions_messages_to_lingua",
    encode: "lingua_to_chat_completions_messages",
  },
  "openai-responses": {
    format: "responses",
    decode: "responses_messages_to_lingua",
    encode: "lingua_to_responses_messages",
  },
  anthropic: { format: "anthropic", decode: "anthropic_messages_to_lingua", encode: "lingua_to_anthropic_messages" },
  gemini: { format: "google", decode: "google_contents_to_lingua", encode: "lingua_to_google_contents" },
};

interface LinguaMessage {
  role: string;
  content: string | { type: string; text?: string }[];
}

function edit(messages: LinguaMessage[], { kind }: RoundTripJob): void {
  const role = kind === "requests" ? "user" : "assistant";
  for (const message of messages.filter((it) => it.role === role)) {
    if (typeof message.content === "string") {
      message.content += ADDITION;
      break;
    }
    const part = message.content.find((it) => it.type === "text");
    if (part === undefined) continue;
    part.text += ADDITION;
    break;
  }
  if (kind === "requests") messages.push({ role: "user", content: APPENDED });
}

// JSON.rawJSON is not declared in the configured TypeScript lib version.
const { rawJSON } = JSON as typeof JSON & { rawJSON: (text: string) => unknown };

/** Writes JSON with the bigints that lingua returns for large integers, which JSON.stringify rejects. */
function write(value: unknown): string {
  return JSON.stringify(value, (_, it: unknown) => (typeof it === "bigint" ? rawJSON(String(it)) : it));
}

/** Converts the plain strings that lingua throws to errors. */
function attempt<T>(step: () => T): T {
  try {
    return step();
  } catch (error) {
    throw error instanceof Error ? error : new Error(String(error));
  }
}

function throughMessages(lingua: Lingua, job: RoundTripJob): string {
  const wire = WIRES[job.dialect];
  // The cast is safe, because the corpus contains only JSON objects.
  const body = JSON.parse(job.text) as JsonObject;
  const { decode, encode } = FORMATS[job.dialect];
  const turns = wire.turns(body, job.kind);
  if (turns.length === 0) return job.text;
  // The cast is safe: the library returns a list of messages, although it declares `any`.
  const messages = (lingua[decode] as Convert)(turns) as LinguaMessage[];
  if (job.edit) edit(messages, job);
  wire.putTurns(body, job.kind, (lingua[encode] as Convert)(messages) as JsonValue[]);
  return write(body);
}

function throughSession(lingua: Lingua, { to, events }: StreamJob): string {
  const session = new lingua.TransformStreamSession(FORMATS[to].format);
  let text = "";
  for (const { data } of events) if (data !== "[DONE]") for (const event of session.pushSse(data)) text += event;
  for (const event of session.finishSse()) text += event;
  session.free();
  return text;
}

export async function loadLingua(): Promise<Contender> {
  const names = Object.values(FORMATS).flatMap(({ decode, encode }) => [decode, encode]);
  const loaded = await loadPeer<Lingua>("@braintrust/lingua-wasm", [
    ...names,
    "transform_request",
    "transform_response",
    "TransformStreamSession",
  ]);
  if ("missing" in loaded) return absent("lingua", loaded.missing);
  const lingua = loaded.api;
  return {
    roundTrippers: [
      {
        name: "lingua, messages only",
        gap: () => undefined,
        run: (job) => unreported(attempt(() => throughMessages(lingua, job))),
      },
      {
        name: "lingua, whole body",
        gap: (job) => (job.edit ? "its form of a whole body cannot be edited" : undefined),
        run({ dialect, kind, text }) {
          const transform = kind === "requests" ? lingua.transform_request : lingua.transform_response;
          return unreported(attempt(() => write(transform(text, FORMATS[dialect].format).data)));
        },
      },
    ],
    translator: {
      name: "lingua",
      gap: () => undefined,
      run: ({ to, text, model }) =>
        unreported(attempt(() => JSON.stringify(lingua.transform_request(text, FORMATS[to].format, model).data))),
    },
    streamer: { name: "lingua", gap: () => undefined, run: (job) => attempt(() => throughSession(lingua, job)) },
  };
}
