// One call: the models to ask in their order, what holds for each, and everything that is noted on the way.
import { DialectError } from "../../dialects/errors.ts";
import type { Loss, ModelRequest } from "../../model/index.ts";
import { JsonError } from "../../model/index.ts";
import { ClientError } from "../errors.ts";
import type { PriceTable } from "../prices.ts";
import { costOf, findPrice } from "../prices.ts";
import { resolveModel } from "../providers/resolve.ts";
import type {
  CallOptions,
  ClientOptions,
  Effects,
  PreparedRequest,
  ProviderAdapter,
  RetryPolicy,
  Timeouts,
  Transport,
} from "../types.ts";
import { AttemptLog } from "./attempts.ts";
import { checkCall } from "./check-options.ts";
import type { TargetInfo } from "./facts.ts";
import {
  callTimeOf,
  DEFAULT_RETRY,
  DEFAULT_TIMEOUTS,
  DEFAULT_WHOLE_TIMEOUTS,
  mergeSettings,
  turnTimeOf,
} from "./policy.ts";
import { CallScope } from "./scope.ts";

/** What all calls of a client share. */
export interface ClientContext {
  readonly options: ClientOptions;
  readonly links: ReadonlyMap<string, ProviderAdapter>;
  readonly effects: Effects;
  transport(): Transport;
  /** Ends idle connections; calls under way go on. */
  close(): Promise<void>;
}

/** A model at a provider, and what holds there. */
export interface Target {
  readonly link: ProviderAdapter;
  readonly asked: TargetInfo;
  readonly timeouts: Omit<Timeouts, "totalMs">;
  /** How long it may take, retries and waits included, before the next one is asked. */
  readonly turnMs: number;
  readonly retry: RetryPolicy;
}

/** A request as a target is sent it. */
export type PreparedCall =
  | { kind: "http"; prepared: PreparedRequest; losses: Loss[] }
  | { kind: "local"; request: ModelRequest; losses: Loss[] };

/** Who is asked in which order, and how long all of it may take. */
export interface CallPlan {
  readonly targets: readonly [Target, ...Target[]];
  readonly totalMs: number;
}

/** Throws for a model that nobody has, and for what nobody can mean. */
export function planCall(
  session: ClientContext,
  request: ModelRequest,
  options: CallOptions,
  stream: boolean,
): CallPlan {
  checkCall(request, options);
  const targets = targetsOf(session, request, options, stream ? DEFAULT_TIMEOUTS : DEFAULT_WHOLE_TIMEOUTS);
  const own = targets.map(({ link }) => link.config.timeouts);
  return { targets, totalMs: callTimeOf(options.timeouts, session.options.timeouts, own) };
}

export class ModelCall {
  readonly session: ClientContext;
  readonly targets: readonly [Target, ...Target[]];
  readonly scope: CallScope;
  readonly log: AttemptLog;
  /** Whoever makes a call piece by piece may say late what is asked. */
  protected request: ModelRequest;
  readonly #options: CallOptions;
  protected readonly stream: boolean;

  /**
   * `stream`: whether deltas are asked for. Throws for a model that nobody has, before anything is sent. `plan`: what
   * `planCall` gave for the same model and options.
   */
  constructor(
    session: ClientContext,
    request: ModelRequest,
    options: CallOptions,
    stream: boolean,
    plan: CallPlan = planCall(session, request, options, stream),
  ) {
    this.session = session;
    this.request = request;
    this.#options = options;
    this.stream = stream;
    this.targets = plan.targets;
    this.scope = new CallScope(session.effects, options.signal, plan.totalMs);
    this.log = new AttemptLog(this.scope, session.options.onAttempt);
  }

  /** Puts the request in the provider's words. Throws an "untranslatable" where it would become another question. */
  prepare({ link, asked }: Target, options: CallOptions = this.#options): PreparedCall {
    const { request, stream } = this;
    let ready: PreparedCall;
    try {
      if (link.kind === "local") ready = { kind: "local", ...link.prepare({ ...request, stream }, asked.model) };
      else {
        const prepared = link.prepare(request, asked.model, stream, options);
        ready = { kind: "http", prepared, losses: prepared.losses.filter((loss) => !isOwnNote(loss)) };
      }
    } catch (cause) {
      if (!(cause instanceof DialectError || cause instanceof JsonError)) throw cause;
      throw this.#untranslatable(asked, cause.path, `The request cannot be said: ${cause.message}`, cause);
    }
    const breaks = options.onBreaks === "send" ? [] : ready.losses.filter(({ level }) => level === "breaks");
    const [first] = breaks;
    if (first === undefined) return ready;
    const more = breaks.length > 1 ? ` (and ${breaks.length - 1} more)` : "";
    const what = `It would be asked another question: at "${first.path}" (${first.code}): ${first.message}${more}`;
    throw this.#untranslatable(asked, first.path, `${what} Change it, or send it all the same with onBreaks: "send".`);
  }

  #untranslatable({ provider, model }: TargetInfo, path: string, what: string, cause?: unknown): ClientError {
    const details = { path, provider, model, attempts: this.log.attempts };
    const options = cause === undefined ? details : { ...details, cause };
    return new ClientError("untranslatable", `${provider}/${model}: ${what}`, options);
  }
}

/** What Koine noted about a message was never meant for the wire: one such loss per earlier answer would be noise. */
function isOwnNote({ code, path }: Loss): boolean {
  return code === "bookkeeping" && /^\/messages\/\d+\/metadata$/.test(path);
}

function targetsOf(
  session: ClientContext,
  request: ModelRequest,
  options: CallOptions,
  defaults: Timeouts,
): [Target, ...Target[]] {
  const { links } = session;
  const fallbacks = options.fallbacks ?? session.options.fallbacks ?? [];
  const first = resolveModel(links, session.options, request.model, options);
  const others = fallbacks.map((model, index) =>
    resolveModel(links, session.options, model, {}, `/fallbacks/${index}`),
  );
  const target = ({ link, model }: typeof first): Target => ({
    link,
    asked: { provider: link.name, model, costOf: pricing(session.options.prices) },
    timeouts: mergeSettings(defaults, session.options.timeouts, link.config.timeouts, options.timeouts),
    turnMs: turnTimeOf(options.timeouts, link.config.timeouts),
    retry: mergeSettings(DEFAULT_RETRY, session.options.retry, link.config.retry, options.retry),
  });
  return [target(first), ...others.map(target)];
}

function pricing(prices: PriceTable | undefined): TargetInfo["costOf"] {
  return (usage, provider, models) => {
    const price = prices && findPrice(prices, provider, ...models);
    return price && costOf(usage, price);
  };
}
