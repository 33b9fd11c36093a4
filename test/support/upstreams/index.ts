// Simulated providers: HTTP servers that implement the protocol of one provider each, whole and streamed. They reject
// the requests that the provider rejects, and otherwise answer by a script. They do not use Koine's dialects, so that
// errors of the dialects show.
import type { HttpProvider } from "../../../src/client/index.ts";
import type { ReceivedRequest, ReplayServer, Reply } from "../../../src/testkit/index.ts";
import { cutRandomly, replayServer, seededRandom } from "../../../src/testkit/index.ts";
import { anthropic } from "./anthropic/index.ts";
import { gemini } from "./gemini/index.ts";
import { openaiChat } from "./openai-chat/index.ts";
import { openaiResponses } from "./openai-responses/index.ts";
import type { CreateProvider, SimulatedProvider, ProviderRequest } from "./provider.ts";
import { Rejection } from "./rejection.ts";
import type { ScriptedAnswer, Script } from "./script.ts";
import { fullAnswer } from "./script.ts";
import { IssuedSeals } from "./issued-seals.ts";

export type { ScriptedAnswer as Answer, Script, Scripted } from "./script.ts";

const PROVIDERS = {
  "openai-chat": openaiChat,
  "openai-responses": openaiResponses,
  anthropic,
  gemini,
} as const satisfies Record<string, CreateProvider>;

export type UpstreamDialect = keyof typeof PROVIDERS;
export const UPSTREAM_DIALECTS = Object.keys(PROVIDERS) as UpstreamDialect[];

export interface UpstreamOptions {
  /** Upstreams with different names reject each other's seals and ids. Default: the dialect. */
  name?: string;
  /** For Chat: "openrouter" sends sealed reasoning. Default: OpenAI, which sends none. */
  vendor?: "openrouter";
}

export interface UpstreamRejection {
  status: number;
  message: string;
  request: ReceivedRequest;
}

export interface Upstream extends AsyncDisposable {
  /** The URL without a version. */
  readonly url: string;
  /** The base URL for the provider's own SDK. */
  readonly baseUrl: string;
  readonly apiKey: string;
  readonly models: readonly string[];
  /** The default model. */
  readonly model: string;
  /** The configuration of this provider for a client. */
  readonly config: HttpProvider;
  /** All requests, rejected ones included. */
  readonly requests: readonly ReceivedRequest[];
  readonly rejections: readonly UpstreamRejection[];
  /** All issued seals: signatures and encrypted contents. */
  readonly seals: readonly string[];
  /** The number of requests that were answered by the script. */
  readonly answered: number;
  readonly connections: number;
  close(): Promise<void>;
}

/** Starts an upstream on a free local port. Close it, or bind it with `await using`. */
export async function startUpstream(
  dialect: UpstreamDialect,
  script: Script,
  options: UpstreamOptions = {},
): Promise<Upstream> {
  const { name = dialect, vendor } = options;
  const apiKey = `key-of-${name}`;
  const secrets = new IssuedSeals(`secret of ${name}`);
  const provider = PROVIDERS[dialect](secrets, { apiKey, vendor });
  const refusals: UpstreamRejection[] = [];
  const desk = new Desk(provider, script, refusals);
  const server = await replayServer((request) => desk.reply(request));
  return upstreamOf(server, desk, { apiKey, secrets, provider, refusals, dialect, vendor });
}

interface Inside {
  apiKey: string;
  secrets: IssuedSeals;
  provider: SimulatedProvider;
  refusals: UpstreamRejection[];
  dialect: UpstreamDialect;
  vendor: string | undefined;
}

function upstreamOf(server: ReplayServer, desk: Desk, inside: Inside): Upstream {
  const { apiKey, secrets, provider, refusals, dialect, vendor } = inside;
  const baseUrl = server.url + provider.version;
  return {
    url: server.url,
    baseUrl,
    apiKey,
    models: provider.models,
    model: provider.models[0] ?? "",
    config: { dialect, baseUrl, apiKey, vendor },
    requests: server.requests,
    rejections: refusals,
    seals: secrets.seals,
    get answered() {
      return desk.answered;
    },
    get connections() {
      return server.connections;
    },
    close: () => server.close(),
    [Symbol.asyncDispose]: () => server.close(),
  };
}

/** Handles requests with the rules of the provider and the answers of the script. */
class Desk {
  answered = 0;
  readonly #provider: SimulatedProvider;
  readonly #script: Script;
  readonly #refusals: UpstreamRejection[];

  constructor(provider: SimulatedProvider, script: Script, refusals: UpstreamRejection[]) {
    this.#provider = provider;
    this.#script = script;
    this.#refusals = refusals;
  }

  reply(request: ReceivedRequest): Reply {
    try {
      const question = this.#provider.open(request);
      if (!this.#provider.models.includes(question.model)) throw new Error("A provider opens only models that it has.");
      this.#provider.check(question);
      return this.#encode(this.#next(request, question), question);
    } catch (error) {
      if (!(error instanceof Rejection)) throw error;
      this.#refusals.push({ status: error.status, message: error.message, request });
      return { status: error.status, body: error.body };
    }
  }

  #next(request: ReceivedRequest, question: ProviderRequest): ScriptedAnswer {
    const turn = this.answered;
    const scripted =
      typeof this.#script === "function" ? this.#script({ turn, request, ...question }) : this.#script[turn];
    if (scripted === undefined) throw new Error(`The script has ${this.#script.length} answers, and this is one more.`);
    this.answered++;
    return typeof scripted === "string" ? { parts: [{ type: "text", text: scripted }] } : scripted;
  }

  #encode(answer: ScriptedAnswer, question: ProviderRequest): Reply {
    const { error, errorAfter } = answer;
    const { delayMs, reset, stall, headers } = answer;
    const way: Reply = {
      ...(delayMs !== undefined && { delayMs }),
      ...(reset !== undefined && { reset }),
      ...(stall !== undefined && { stall }),
    };
    if (error !== undefined && (errorAfter === undefined || !question.stream)) {
      const failure = this.#provider.failure(error);
      return { ...way, status: failure.status, body: failure.body, headers: { ...failure.headers, ...headers } };
    }
    const wireAnswer = this.#provider.answer(fullAnswer(answer), question, errorAfter);
    const reply = headers === undefined ? way : { ...way, headers };
    if (!question.stream) return { ...reply, body: wireAnswer.body };
    const events = error === undefined ? wireAnswer.events : [...wireAnswer.events, this.#provider.failureEvent(error)];
    if (answer.pieces === undefined) return { ...reply, chunks: events };
    return { ...reply, chunks: cutRandomly(events.join(""), seededRandom(events.length), answer.pieces) };
  }
}
