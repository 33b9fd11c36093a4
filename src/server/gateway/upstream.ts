// One call to the models of a route. A target that speaks the client's own dialect is sent what the client said, with
// nothing but the model's name replaced; every other one is sent a translation, made when it is first needed.
import type { CallOptions } from "../../client/types.ts";
import type { CallPlan, PreparedCall, ClientContext, Target } from "../../client/calls/call.ts";
import { ModelCall, planCall } from "../../client/calls/call.ts";
import type { HttpAdapter, ProviderAdapter } from "../../client/types.ts";
import type { ModelRequest } from "../../model/index.ts";
import type { ModelRoute } from "./routing.ts";

/** What the client said, in its own words. */
export interface ForwardableRequest {
  readonly dialect: string;
  /** The body for a model that its provider calls so. */
  body(model: string): string;
  /** Headers that mean something to a provider of this dialect. */
  readonly headers: Readonly<Record<string, string>>;
}

/** What is asked of whom. */
export interface GatewayCallOptions {
  /** Decodes where that has not been done yet. */
  request: () => ModelRequest;
  /** Absent where only a translation says what is meant. */
  wording?: ForwardableRequest | undefined;
  /** Headers for targets of that dialect, also where they are sent a translation. */
  headers?: { dialect: string; headers: Readonly<Record<string, string>> } | undefined;
  route: ModelRoute;
  stream: boolean;
  signal?: AbortSignal | undefined;
  onBreaks?: CallOptions["onBreaks"];
}

const NOTHING_YET: ModelRequest["messages"] = [];

/** A server has few routes, and every call of one goes the same way. */
const PLANS = { whole: new WeakMap<ModelRoute, CallPlan>(), stream: new WeakMap<ModelRoute, CallPlan>() };

export class GatewayCall extends ModelCall {
  readonly #question: GatewayCallOptions;
  #isRead = false;
  /** Whether whoever is asked now was sent the client's own words. */
  isForwarded = false;

  constructor(session: ClientContext, question: GatewayCallOptions) {
    const { route, stream } = question;
    const request: ModelRequest = { model: route.targets[0], messages: NOTHING_YET };
    const options = optionsOf(question);
    const known = PLANS[stream ? "stream" : "whole"];
    const plan = known.get(route) ?? planCall(session, request, options, stream);
    known.set(route, plan);
    super(session, request, options, stream, plan);
    this.#question = question;
  }

  override prepare(target: Target, options?: CallOptions): PreparedCall {
    const { link, asked } = target;
    const { wording, headers, request } = this.#question;
    this.isForwarded = false;
    if (wording !== undefined && takes(link, wording.dialect)) {
      this.isForwarded = true;
      const prepared = link.forward(wording.body(asked.model), asked.model, this.stream, wording.headers);
      return { kind: "http", prepared, losses: [] };
    }
    if (!this.#isRead) this.request = request();
    this.#isRead = true;
    if (headers === undefined || link.kind !== "http" || link.config.dialect !== headers.dialect) {
      return super.prepare(target, options);
    }
    return super.prepare(target, { ...optionsOf(this.#question), headers: headers.headers });
  }
}

/** Whether a provider may be sent the client's own words: it speaks the dialect, and nothing is to be said in addition. */
function takes(link: ProviderAdapter, dialect: string): link is HttpAdapter {
  if (link.kind !== "http" || link.config.dialect !== dialect) return false;
  return link.config.store === undefined && link.config.state !== "previous-response";
}

function optionsOf({ route, signal, onBreaks }: GatewayCallOptions): CallOptions {
  const options: CallOptions = { fallbacks: route.targets.slice(1) };
  if (route.timeouts !== undefined) options.timeouts = route.timeouts;
  if (route.retry !== undefined) options.retry = route.retry;
  if (signal !== undefined) options.signal = signal;
  if (onBreaks !== undefined) options.onBreaks = onBreaks;
  return options;
}
