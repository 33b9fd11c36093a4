// Defines one call to a model: its targets in order, the settings of each target, the time limits and the log of
// attempts.
import { DialectError } from "../dialects/errors.ts";
import type { Loss, ModelRequest } from "../model/index.ts";
import { JsonError } from "../model/index.ts";
import type { TargetInfo } from "./answer-metadata.ts";
import { AttemptLog } from "./attempt-log.ts";
import { CallScope } from "./call-scope.ts";
import { checkCall } from "./check-options.ts";
import type { ClientContext } from "./client-context.ts";
import { ClientError } from "./errors.ts";
import type { PriceTable } from "./prices.ts";
import { computeCost, findPrice } from "./prices.ts";
import { resolveModel } from "./providers/resolve-model.ts";
import {
  computeCallTimeout,
  computeTargetTimeout,
  DEFAULT_RETRY,
  DEFAULT_TIMEOUTS,
  DEFAULT_WHOLE_TIMEOUTS,
  mergeSettings,
} from "./retry-policy.ts";
import type { CallOptions, PreparedRequest, ProviderAdapter, RetryPolicy, Timeouts } from "./types.ts";

/** One provider and model that a call can use, with the settings of the call for this target. */
export interface Target {
  readonly adapter: ProviderAdapter;
  readonly info: TargetInfo;
  readonly timeouts: Omit<Timeouts, "totalMs">;
  /**
   * Time, in milliseconds, for all attempts at this target, including retries and waits; then the next target follows.
   */
  readonly targetMs: number;
  readonly retry: RetryPolicy;
}

/** A request that is encoded for one target, with the losses of the encoding. */
export type PreparedCall =
  | { kind: "http"; prepared: PreparedRequest; losses: Loss[] }
  | { kind: "local"; request: ModelRequest; losses: Loss[] };

/** The targets of a call in order, and the time limit of the call in milliseconds. */
export interface CallPlan {
  readonly targets: readonly [Target, ...Target[]];
  readonly totalMs: number;
}

/** Resolves the targets of a call. Throws for an unknown model or provider and for invalid options. */
export function planCall(
  context: ClientContext,
  request: ModelRequest,
  options: CallOptions,
  stream: boolean,
): CallPlan {
  checkCall(request, options);
  const targets = resolveTargets(context, request, options, stream ? DEFAULT_TIMEOUTS : DEFAULT_WHOLE_TIMEOUTS);
  const ofProviders = targets.map(({ adapter }) => adapter.config.timeouts);
  return { targets, totalMs: computeCallTimeout(options.timeouts, context.options.timeouts, ofProviders) };
}

export class ModelCall {
  readonly context: ClientContext;
  readonly targets: readonly [Target, ...Target[]];
  readonly scope: CallScope;
  readonly log: AttemptLog;
  /**
   * The request of the call. It is not readonly, because the gateway sets it when an attempt cannot forward the
   * client's body and therefore needs the decoded request.
   */
  protected request: ModelRequest;
  readonly #options: CallOptions;
  protected readonly stream: boolean;

  /**
   * Throws for an unknown model before anything is sent. `stream` is true if the caller reads deltas; `plan` is the
   * result of `planCall` for the same model and options.
   */
  constructor(
    context: ClientContext,
    request: ModelRequest,
    options: CallOptions,
    stream: boolean,
    plan: CallPlan = planCall(context, request, options, stream),
  ) {
    this.context = context;
    this.request = request;
    this.#options = options;
    this.stream = stream;
    this.targets = plan.targets;
    this.scope = new CallScope(context.effects, options.signal, plan.totalMs);
    this.log = new AttemptLog(this.scope, context.options.onAttempt);
  }

  /**
   * Encodes the request for a target. Throws "untranslatable" if the request cannot be encoded, or if it has a breaking
   * loss and `onBreaks` is not "send".
   */
  prepare({ adapter, info }: Target, options: CallOptions = this.#options): PreparedCall {
    const { request, stream } = this;
    let preparedCall: PreparedCall;
    try {
      if (adapter.kind === "local") {
        preparedCall = { kind: "local", ...adapter.prepare({ ...request, stream }, info.model) };
      } else {
        const prepared = adapter.prepare(request, info.model, stream, options);
        preparedCall = { kind: "http", prepared, losses: prepared.losses.filter((loss) => !isOwnMetadataLoss(loss)) };
      }
    } catch (cause) {
      if (!(cause instanceof DialectError || cause instanceof JsonError)) throw cause;
      throw this.#untranslatableError(info, cause.path, `The request cannot be encoded: ${cause.message}`, cause);
    }
    const breaks = options.onBreaks === "send" ? [] : preparedCall.losses.filter(({ level }) => level === "breaks");
    const [first] = breaks;
    if (first === undefined) return preparedCall;
    const more = breaks.length > 1 ? ` (and ${breaks.length - 1} more)` : "";
    const fault = `The request would change its meaning: at "${first.path}" (${first.code}): ${first.message}${more}`;
    throw this.#untranslatableError(info, first.path, `${fault} Change it, or send it anyway with onBreaks: "send".`);
  }

  #untranslatableError({ provider, model }: TargetInfo, path: string, fault: string, cause?: unknown): ClientError {
    const details = { path, provider, model, attempts: this.log.attempts };
    const options = cause === undefined ? details : { ...details, cause };
    return new ClientError("untranslatable", `${provider}/${model}: ${fault}`, options);
  }
}

/**
 * True for the loss of metadata that Koine added to an earlier answer. That metadata is never sent, so its loss is not
 * reported.
 */
function isOwnMetadataLoss({ code, path }: Loss): boolean {
  return code === "metadata-dropped" && /^\/messages\/\d+\/metadata$/.test(path);
}

function resolveTargets(
  { adapters, options: defaults }: ClientContext,
  request: ModelRequest,
  options: CallOptions,
  timeouts: Timeouts,
): [Target, ...Target[]] {
  const fallbacks = options.fallbacks ?? defaults.fallbacks ?? [];
  const first = resolveModel(adapters, defaults, request.model, options);
  const others = fallbacks.map((model, index) => resolveModel(adapters, defaults, model, {}, `/fallbacks/${index}`));
  const toTarget = ({ adapter, model }: typeof first): Target => ({
    adapter,
    info: { provider: adapter.name, model, computeCost: createCostFunction(defaults.prices) },
    timeouts: mergeSettings(timeouts, defaults.timeouts, adapter.config.timeouts, options.timeouts),
    targetMs: computeTargetTimeout(options.timeouts, adapter.config.timeouts),
    retry: mergeSettings(DEFAULT_RETRY, defaults.retry, adapter.config.retry, options.retry),
  });
  return [toTarget(first), ...others.map(toTarget)];
}

function createCostFunction(prices: PriceTable | undefined): TargetInfo["computeCost"] {
  return (usage, provider, models) => {
    const price = prices && findPrice(prices, provider, ...models);
    return price && computeCost(usage, price);
  };
}
