// One model call of the server: routed, recorded, counted and traced. live-answer.ts and whole-reply.ts read the
// answer.
import type { AttemptFunction, AttemptResult, CallOptions } from "../../calls/index.ts";
import { runAttempts } from "../../calls/index.ts";
import type { Loss, Message, ProviderError, ModelRequest, ModelResponse } from "../../model/index.ts";
import type { RecordedAnswer, RecordedCall, Recorder, Recording } from "../record/types.ts";
import type { TraceSpan } from "../operations/tracing.ts";
import type { Caller, Services } from "../types.ts";
import { ServerError } from "../errors.ts";
import { toServerError } from "../http/server-error.ts";
import { toCallFailure } from "./call-failure.ts";
import { getCallCounters } from "./call-counters.ts";
import type { ModelRoute } from "./model-router.ts";
import { getModelRouter } from "./model-router.ts";
import type { ForwardableRequest } from "./gateway-call.ts";
import { GatewayCall } from "./gateway-call.ts";

/** Options of the record apart from the request itself. */
export type RecordOptions = Omit<RecordedCall, "caller" | "request" | "dialect">;

export interface CallSpec {
  caller: Caller;
  /** The model name of the client. */
  model: string | undefined;
  /** Returns the decoded request; called only if it is needed. */
  getRequest: () => ModelRequest;
  /** Returns the client's request if `getRequest` returns one with a resolved history. */
  getOriginalRequest?: (() => ModelRequest) | undefined;
  /** The client's dialect. */
  dialect: string;
  /** The client's body; absent if every target needs a translation. */
  forwardable?: ForwardableRequest | undefined;
  /** Headers for providers of the client's dialect. */
  headers?: Readonly<Record<string, string>> | undefined;
  /** Absent: the call is not recorded. */
  record?: RecordOptions | undefined;
  /** `previous_response_id` of a call that is not recorded itself. */
  previousResponse?: string | undefined;
  stream: boolean;
  /** The client's connection; it ends unrecorded calls (B89). */
  signal?: (() => AbortSignal) | undefined;
  onBreaks?: CallOptions["onBreaks"];
  /** The `traceparent` header of the request, for spans. */
  traceparent?: string | undefined;
}

/** A call that is routed and located in a thread, but not sent yet. It must be ended by `finish` or `fail`. */
export class OpenCall {
  readonly services: Services;
  readonly spec: CallSpec;
  readonly recording: Recording | undefined;
  readonly call: GatewayCall;
  readonly #span: TraceSpan;
  readonly #openCalls: Set<OpenCall>;
  #attemptResult: AttemptResult<unknown> | undefined;
  /** Losses of the request at the target that answers. */
  losses: readonly Loss[] = [];
  #isEnded = false;

  constructor(services: Services, spec: CallSpec, route: ModelRoute, recording: Recording | undefined) {
    this.services = services;
    this.spec = spec;
    this.recording = recording;
    const { forwardable, headers, stream, onBreaks, dialect } = spec;
    this.call = new GatewayCall(services.clientContext, {
      getRequest: () => requestWithHistory(spec, recording),
      // A restored or resolved history is not in the client's body.
      forwardable: recording?.isHistoryChanged === true ? undefined : forwardable,
      headers: headers && { dialect, headers },
      route,
      stream,
      // A recorded run continues if its client disconnects (B89).
      signal: recording === undefined ? spec.signal?.() : recording.cancelled,
      onBreaks,
    });
    this.#openCalls = getOpenCalls(services).add(this);
    if (stream && recording?.earlierAnswer === undefined) recording?.begin(this.targetInfo);
    const { provider, model } = this.targetInfo;
    this.#span = services.tracer.span(
      `chat ${model}`,
      { "gen_ai.operation.name": "chat", "gen_ai.provider.name": provider, "gen_ai.request.model": model },
      spec.traceparent,
    );
  }

  /** Ends the call when shutdown has used up its time. */
  stop(): void {
    this.call.scope.endByCaller(new ServerError("unavailable", "The server is shutting down."));
  }

  /** The target that answers, or the first one before any answer. */
  get targetInfo(): { provider: string; model: string } {
    const { provider, model } = (this.#attemptResult?.target ?? this.call.targets[0]).info;
    return { provider, model };
  }

  /** Runs attempts until one succeeds. If it throws, the call has ended. */
  async runAttempts<T>(attempt: AttemptFunction<T>): Promise<T> {
    try {
      const attemptResult = await runAttempts(this.call, attempt);
      this.#attemptResult = attemptResult;
      this.losses = attemptResult.attempt.losses;
      // Must succeed before the first byte is sent.
      if (this.spec.stream) await this.recording?.ready();
      return attemptResult.value;
    } catch (thrown) {
      this.call.scope.endByCaller(thrown);
      await this.fail(toCallFailure(thrown).error);
      throw thrown;
    }
  }

  /**
   * Ends a call with a complete answer. Resolves when it is recorded; returns the error to send instead if it could not
   * be recorded and the policy is "refuse". `losses` are those of the answer at the client.
   */
  async finish(
    response: ModelResponse | undefined,
    losses: readonly Loss[] = [],
    recorded: Pick<RecordedAnswer, "response" | "streamed" | "responseId"> = {},
  ): Promise<ServerError | undefined> {
    this.#attemptResult?.attempt.end({ usage: response?.usage });
    let recordError: ServerError | undefined;
    try {
      await this.recording?.finish({ ...this.#recordedOutcome(losses), ...recorded });
    } catch (error) {
      recordError = toServerError(error);
      this.services.log.error("gateway.unrecorded", { run: this.recording?.runId ?? "" }, error);
    }
    this.#end(recordError && toCallFailure(recordError).error, response, losses);
    return recordError;
  }

  /** Ends the call after an internal error: aborts the upstream request and fails the record. */
  async giveUp(thrown: unknown): Promise<void> {
    if (this.#isEnded) return;
    this.call.scope.endByCaller(thrown);
    await this.fail(toCallFailure(thrown).error);
  }

  /** Ends a failed call. The partial answer is recorded. */
  async fail(error: ProviderError, partial?: ModelResponse, aborted?: true): Promise<void> {
    const ending = { usage: partial?.usage, partial };
    this.#attemptResult?.attempt.end(aborted === true ? { ...ending, aborted } : { ...ending, error });
    try {
      await this.recording?.fail(error, this.#recordedOutcome([]));
    } catch (cause) {
      this.services.log.error("gateway.unrecorded", { run: this.recording?.runId ?? "" }, cause);
    }
    this.#end(error, partial, []);
  }

  #recordedOutcome(losses: readonly Loss[]): {
    provider: string;
    model: string;
    attempts: GatewayCall["log"]["attempts"];
    losses: readonly Loss[];
  } {
    const { attempts } = this.call.log;
    return { ...this.targetInfo, attempts, losses: losses.length === 0 ? this.losses : [...this.losses, ...losses] };
  }

  /** Ends a call that is replayed from the record and never sent. */
  discard(): void {
    this.#isEnded = true;
    this.call.scope.close();
    this.#openCalls.delete(this);
    this.#span.end();
  }

  /** True if the client disconnected or the run was cancelled. */
  get #isAborted(): boolean {
    const { ended } = this.call.scope;
    return ended?.reason instanceof ServerError && ended.reason.code === "aborted";
  }

  #end(error: ProviderError | undefined, response: ModelResponse | undefined, losses: readonly Loss[]): void {
    if (this.#isEnded) return;
    this.#isEnded = true;
    this.call.scope.close();
    const { services, spec } = this;
    const span = this.#span;
    this.#openCalls.delete(this);
    const { provider, model } = this.targetInfo;
    const usage = response?.usage;
    const ending = error === undefined ? "ok" : this.#isAborted ? "aborted" : error.kind;
    getCallCounters(services).count({ dialect: spec.dialect, provider, ending, usage, losses: [this.losses, losses] });
    span.set({
      "gen_ai.provider.name": provider,
      "gen_ai.request.model": model,
      "gen_ai.response.model": response?.model,
      "gen_ai.response.id": response?.id,
      "gen_ai.response.finish_reasons": response && [response.finishReason.unified],
      "gen_ai.usage.input_tokens": usage?.inputTokens,
      "gen_ai.usage.output_tokens": usage?.outputTokens,
      "error.type": error?.kind,
    });
    span.end(error);
  }
}

const OPEN_CALLS = new WeakMap<Services, Set<OpenCall>>();

/** Returns the open calls of a server. One shutdown listener serves all of them, instead of one per call. */
function getOpenCalls(services: Services): Set<OpenCall> {
  const known = OPEN_CALLS.get(services);
  if (known !== undefined) return known;
  const openCalls = new Set<OpenCall>();
  OPEN_CALLS.set(services, openCalls);
  services.stopping.addEventListener("abort", () => {
    for (const open of openCalls) open.stop();
  });
  return openCalls;
}

/**
 * Routes a call and finds its position in a thread. Throws a `ServerError` or the decoder's error; nothing was sent
 * then.
 */
export async function openCall(services: Services, recorder: Recorder, spec: CallSpec): Promise<OpenCall> {
  if (services.stopping.aborted)
    throw new ServerError("unavailable", "The server is shutting down. Try again in a moment.");
  const route = getModelRouter(services).route(spec.model);
  const { caller, dialect, record } = spec;
  if (record === undefined)
    return new OpenCall(services, await resolvePreviousResponse(recorder, spec), route, undefined);
  const request = spec.getRequest();
  const known: CallSpec = { ...spec, getRequest: () => request };
  const recording = await recorder.open({ caller, request, dialect, ...record });
  try {
    return new OpenCall(services, known, route, recording);
  } catch (thrown) {
    // The opened recording must be ended.
    const outcome = { provider: "", model: route.targets[0], attempts: [], losses: [] };
    await recording?.fail(toCallFailure(thrown).error, outcome);
    throw thrown;
  }
}

/** Resolves `previous_response_id` of a call that is not recorded itself. */
async function resolvePreviousResponse(recorder: Recorder, spec: CallSpec): Promise<CallSpec> {
  const { caller, dialect, previousResponse } = spec;
  if (previousResponse === undefined) return spec;
  const clientRequest = spec.getRequest();
  const messages = await recorder.resolveHistory?.({ caller, request: clientRequest, dialect, previousResponse });
  if (messages === undefined) return spec;
  const resolvedRequest = replaceHistory(clientRequest, messages, true);
  return { ...spec, forwardable: undefined, getOriginalRequest: spec.getRequest, getRequest: () => resolvedRequest };
}

/** Returns the request with the history of the record, and without the `previous_response_id` that it replaces. */
function requestWithHistory({ getRequest: request, record }: CallSpec, recording: Recording | undefined): ModelRequest {
  const clientRequest = request();
  // A recorded history is used even if it equals the client's: its losses are recorded, and a repeated call must report
  // the same ones.
  if (recording === undefined || recording.messages === clientRequest.messages) return clientRequest;
  return replaceHistory(clientRequest, recording.messages, record?.previousResponse !== undefined);
}

const RESPONSES = "openai-responses";

function replaceHistory(clientRequest: ModelRequest, messages: readonly Message[], isResolved: boolean): ModelRequest {
  const resolvedRequest: ModelRequest = { ...clientRequest, messages: [...messages] };
  if (!isResolved || resolvedRequest.extra?.[RESPONSES] === undefined) return resolvedRequest;
  const { previous_response_id: _, ...rest } = resolvedRequest.extra[RESPONSES];
  return { ...resolvedRequest, extra: { ...resolvedRequest.extra, [RESPONSES]: rest } };
}
