// Opens and ends one model call of the server, and routes, records, counts and traces the call. The answer is read by
// live-answer.ts and whole-reply.ts.
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
  /** Returns the decoded request. A function, because a forwarded call that is not recorded needs no decoding. */
  getRequest: () => ModelRequest;
  /**
   * Returns the request as the client sent it. Set only if `getRequest` returns another request, in which the stored
   * history replaces `previous_response_id`.
   */
  getOriginalRequest?: (() => ModelRequest) | undefined;
  /** The client's dialect. */
  dialect: string;
  /**
   * The client's body, which targets of the client's dialect receive. Undefined if it cannot be forwarded, so that
   * every target receives a translation.
   */
  forwardable?: ForwardableRequest | undefined;
  /** The client's headers that providers of the client's dialect receive. */
  headers?: Readonly<Record<string, string>> | undefined;
  /** The options of the recording; undefined if the call is not recorded. */
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
 * A routed model call. A recorded call also has a position in a thread. Every call must be ended by `finish`, `fail`,
 * `giveUp` or `discard`.
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
      // If the recording has changed the history, the client's body does not contain the new history and cannot be
      // forwarded.
      forwardable: recording?.isHistoryChanged === true ? undefined : forwardable,
      headers: headers && { dialect, headers },
      route,
      stream,
      // A recorded call continues if its client disconnects (B89), so the signal of the recording is used instead.
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

  /** Aborts the call, because the time limit of the shutdown has passed. */
  stop(): void {
    this.call.scope.endByCaller(new ServerError("unavailable", "The server is shutting down."));
  }

  /** The provider and model that answer; until a target has answered, those of the first target. */
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
   * Ends a call with a complete answer, and resolves when the answer has been recorded. Returns the error to send
   * instead of the answer if recording failed and `record.onFailure` is "refuse", and otherwise undefined. `losses` are
   * the losses of the answer in the client's dialect.
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

  /**
   * Ends a failed call and records the failure. `partial` is the incomplete answer; undefined if there is no answer.
   * `aborted` is true if the call was ended by its client, a cancellation or a shutdown.
   */
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

  /** Ends a call that was not sent to a provider, because the stored answer of an earlier call is replayed. */
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

/** Returns the set of open calls of a server. All calls of the set share one listener of the shutdown signal. */
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
    // The recording must be ended, because it was opened before the error.
    const outcome = { provider: "", model: route.targets[0], attempts: [], losses: [] };
    await recording?.fail(toCallFailure(thrown).error, outcome);
    throw thrown;
  }
}

/**
 * For an unrecorded call with a `previous_response_id`: returns the call with the stored history that the id refers to.
 * Returns the call unchanged if it has no such id or the id is unknown.
 */
async function resolvePreviousResponse(recorder: Recorder, spec: CallSpec): Promise<CallSpec> {
  const { caller, dialect, previousResponse } = spec;
  if (previousResponse === undefined) return spec;
  const clientRequest = spec.getRequest();
  const messages = await recorder.resolveHistory?.({ caller, request: clientRequest, dialect, previousResponse });
  if (messages === undefined) return spec;
  const resolvedRequest = replaceHistory(clientRequest, messages, true);
  return { ...spec, forwardable: undefined, getOriginalRequest: spec.getRequest, getRequest: () => resolvedRequest };
}

/**
 * Returns the request with the history of the recording, and without a `previous_response_id` that the recorder has
 * resolved.
 */
function requestWithHistory({ getRequest, record }: CallSpec, recording: Recording | undefined): ModelRequest {
  const clientRequest = getRequest();
  // The client's request is used only if its history is the same array as that of the recording. An equal copy also
  // replaces it, so that a repeated call reports the same losses as the recorded call.
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
