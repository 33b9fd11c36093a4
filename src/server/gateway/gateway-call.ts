// Calls the targets of a route. A target of the client's dialect receives the client's body with only the model name
// replaced. Every other target receives a translation; the request is decoded when the first translation is needed.
import type {
  CallOptions,
  CallPlan,
  ClientContext,
  HttpAdapter,
  PreparedCall,
  ProviderAdapter,
  Target,
} from "../../calls/index.ts";
import { ModelCall, planCall } from "../../calls/index.ts";
import type { ModelRequest } from "../../model/index.ts";
import type { ModelRoute } from "./model-router.ts";

/** The client's request in its own wire format. */
export interface ForwardableRequest {
  readonly dialect: string;
  /** Returns the body with the model name that the provider uses. */
  body(model: string): string;
  /** The client's headers that are sent with the body. */
  readonly headers: Readonly<Record<string, string>>;
}

/** Options of a gateway call. */
export interface GatewayCallOptions {
  /**
   * Returns the decoded request. Called at most once: as soon as a target uses another dialect than the client, so that
   * the request must be translated.
   */
  getRequest: () => ModelRequest;
  /** The client's body; undefined if the body cannot be forwarded, so that every target needs a translation. */
  forwardable?: ForwardableRequest | undefined;
  /** Headers that every target of `dialect` receives, even if the body is translated. */
  headers?: { dialect: string; headers: Readonly<Record<string, string>> } | undefined;
  route: ModelRoute;
  stream: boolean;
  signal?: AbortSignal | undefined;
  onBreaks?: CallOptions["onBreaks"];
}

const NO_MESSAGES: ModelRequest["messages"] = [];

/**
 * Caches the call plan (targets and time limits) of each route, separately for whole answers and for streams. All calls
 * of a route have the same plan.
 */
const PLAN_CACHE = { whole: new WeakMap<ModelRoute, CallPlan>(), stream: new WeakMap<ModelRoute, CallPlan>() };

export class GatewayCall extends ModelCall {
  readonly #options: GatewayCallOptions;
  #isDecoded = false;
  /** True if the current attempt forwards the client's body. */
  isForwarded = false;

  constructor(clientContext: ClientContext, gatewayOptions: GatewayCallOptions) {
    const { route, stream } = gatewayOptions;
    const request: ModelRequest = { model: route.targets[0], messages: NO_MESSAGES };
    const options = toCallOptions(gatewayOptions);
    const plans = PLAN_CACHE[stream ? "stream" : "whole"];
    const plan = plans.get(route) ?? planCall(clientContext, request, options, stream);
    plans.set(route, plan);
    super(clientContext, request, options, stream, plan);
    this.#options = gatewayOptions;
  }

  override prepare(target: Target, options?: CallOptions): PreparedCall {
    const { adapter, info } = target;
    const { forwardable, headers, getRequest } = this.#options;
    this.isForwarded = false;
    if (forwardable !== undefined && canForward(adapter, forwardable.dialect)) {
      this.isForwarded = true;
      const prepared = adapter.forward(forwardable.body(info.model), info.model, this.stream, forwardable.headers);
      return { kind: "http", prepared, losses: [] };
    }
    if (!this.#isDecoded) this.request = getRequest();
    this.#isDecoded = true;
    if (headers === undefined || adapter.kind !== "http" || adapter.config.dialect !== headers.dialect) {
      return super.prepare(target, options);
    }
    return super.prepare(target, { ...toCallOptions(this.#options), headers: headers.headers });
  }
}

/**
 * True if the provider can receive the client's body unchanged: the provider has the same dialect, and none of the
 * provider's settings adds fields to the body.
 */
function canForward(adapter: ProviderAdapter, dialect: string): adapter is HttpAdapter {
  if (adapter.kind !== "http" || adapter.config.dialect !== dialect) return false;
  return adapter.config.store === undefined && adapter.config.state !== "previous-response";
}

function toCallOptions({ route, signal, onBreaks }: GatewayCallOptions): CallOptions {
  const options: CallOptions = { fallbacks: route.targets.slice(1) };
  if (route.timeouts !== undefined) options.timeouts = route.timeouts;
  if (route.retry !== undefined) options.retry = route.retry;
  if (signal !== undefined) options.signal = signal;
  if (onBreaks !== undefined) options.onBreaks = onBreaks;
  return options;
}
