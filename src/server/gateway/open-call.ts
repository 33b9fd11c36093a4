// Opens and ends one model call of the server: routes it, records it, counts it and traces it. live-answer.ts and
// whole-reply.ts read the answer.
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

/** The options of a recorded call that are not part of the request. */
export type RecordOptions = Omit<RecordedCall, "caller" | "request" | "dialect">;

export interface CallSpec {
  caller: Caller;
  /** The model name that the client sent. */
  model: string | undefined;
  /** Returns the decoded request. It is called only if the decoded request is needed. */
  getRequest: () => ModelRequest;
  /** Returns the client's request; present only if `getRequest` returns a request with a resolved history. */
  getOriginalRequest?: (() => ModelRequest) | undefined;
  /** The client's dialect. */
  dialect: string;
  /** The client's body; absent if every target needs a translation. */
  forwardable?: ForwardableRequest | undefined;
  /** Headers for providers of the client's dialect. */
  headers?: Readonly<Record<string, string>> | undefined;
  /** The options of the record; absent if the call is not recorded. */
  record?: RecordOptions | undefined;
  /** The `previous_response_id` of a call that is not recorded. */
  previousResponse?: string | undefined;
  stream: boolean;
  /** Returns a signal that is aborted when the client disconnects, which ends an unrecorded call (B89). */
  signal?: (() => AbortSignal) | undefined;
  onBreaks?: CallOptions["onBreaks"];
  /** The `traceparent` header of the request, which links the call's span to the client's trace. */
  traceparent?: string | undefined;
}

/**
 * A model call that is routed and has a position in a thread if it is recorded. Every call must be ended by `finish`,
 * `fail`, `giveUp` or `discard`.
 */
export class OpenCall {
  readonly services: Services;
  readonly spec: CallSpec;
  readonly recording: Recording | undefined;
  readonly call: GatewayCall;
  readonly #span: TraceSpan;
  readonly #openCalls: Set<OpenCall>;
  #attemptResult: AttemptResult<unknown> | undefined;
  /** The losses of the request in the dialect of the target that answers. */
  losses: readonly Loss[] = [];
  #isEnded = false;

  constructor(services: Services, spec: CallSpec, route: ModelRoute, recording: Recording | undefined) {
    this.services = services;
    this.spec = spec;
    this.recording = recording;
    const { forwardable, headers, stream, onBreaks, dialect } = spec;
    this.call = new GatewayCall(services.clientContext, {
      getRequest: () => requestWithHistory(spec, recording),
      // A changed history is not in the client's body, so the body cannot be forwarded.
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

  /** Ends the call, because the time for shutdown has passed. */
  stop(): void {
    this.call.scope.endByCaller(new ServerError("unavailable", "The server is shutting down."));
  }

  /** The target that answers, or the first target before any target has answered. */
  get targetInfo(): { provider: string; model: string } {
    const { provider, model } = (this.#attemptResult?.target ?? this.call.targets[0]).info;
    return { provider, model };
  }

  /** Runs attempts until one succeeds. If all attempts fail, ends the call and throws. */
  async runAttempts<T>(attempt: AttemptFunction<T>): Promise<T> {
    try {
      const attemptResult = await runAttempts(this.call, attempt);
      this.#attemptResult = attemptResult;
      this.losses = attemptResult.attempt.losses;
      // If a stream cannot be recorded, `ready` rejects before the first byte is sent.
      if (this.spec.stream) await this.recording?.ready();
      return attemptResult.value;
    } catch (thrown) {
      this.call.scope.endByCaller(thrown);
      await this.fail(toCallFailure(thrown).error);
      throw thrown;
    }
  }

  /**
   * Ends a call with a complete answer, and resolves when the answer is recorded. If it could not be recorded and the
   * policy is "refuse", returns the error to send instead of the answer. `losses` are the losses of the answer in the
   * client's dialect.
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

  /** Ends the call after an error of the server: aborts the upstream request and records the failure. */
  async giveUp(thrown: unknown): Promise<void> {
    if (this.#isEnded) return;
    this.call.scope.endByCaller(thrown);
    await this.fail(toCallFailure(thrown).error);
  }

  /** Ends a failed call and records the failure. `partial` is the incomplete answer. */
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

  /** Ends a call that was not sent, because its answer is replayed from the record. */
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

/** Returns the open calls of a server. They share one listener of the shutdown signal. */
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
 * Routes a call and, if the call is recorded, finds its position in a thread. Sends nothing to a provider. Throws a
 * `ServerError` or the decoder's error.
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
    // The recording is already open, so it must be ended.
    const outcome = { provider: "", model: route.targets[0], attempts: [], losses: [] };
    await recording?.fail(toCallFailure(thrown).error, outcome);
    throw thrown;
  }
}

/** Returns the call with the history that the `previous_response_id` of an unrecorded call refers to. */
async function resolvePreviousResponse(recorder: Recorder, spec: CallSpec): Promise<CallSpec> {
  const { caller, dialect, previousResponse } = spec;
  if (previousResponse === undefined) return spec;
  const clientRequest = spec.getRequest();
  const messages = await recorder.resolveHistory?.({ caller, request: clientRequest, dialect, previousResponse });
  if (messages === undefined) return spec;
  const resolvedRequest = replaceHistory(clientRequest, messages, true);
  return { ...spec, forwardable: undefined, getOriginalRequest: spec.getRequest, getRequest: () => resolvedRequest };
}

/** Returns the request with the history of the recording, and without the `previous_response_id` that was resolved. */
function requestWithHistory({ getRequest: request, record }: CallSpec, recording: Recording | undefined): ModelRequest {
  const clientRequest = request();
  // The history of the recording is used even if its content equals the client's, so that a repeated call reports the
  // same losses as those that were recorded.
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
