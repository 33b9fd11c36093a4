// One model call of the server, whoever asked for it: it is routed, recorded, counted and traced here. How the answer is
// read is live.ts and whole.ts.
import type { AttemptResult, AttemptFunction } from "../../client/calls/ask.ts";
import { runAttempts } from "../../client/calls/ask.ts";
import type { CallOptions } from "../../client/types.ts";
import type { Loss, Message, ProviderError, ModelRequest, Response } from "../../model/index.ts";
import type { RecordedAnswer, RecordedCall, Recorder, Recording } from "../record/types.ts";
import type { Span } from "../operations/tracing.ts";
import type { Caller, Services } from "../types.ts";
import { ServerError } from "../errors.ts";
import { serverErrorOf } from "../http/failure.ts";
import { failureOfCall } from "./failure.ts";
import { countersOf } from "./counters.ts";
import type { ModelRoute } from "./routing.ts";
import { routerOf } from "./routing.ts";
import type { ForwardableRequest } from "./upstream.ts";
import { GatewayCall } from "./upstream.ts";

/** What a call is recorded as, beside what it says. */
export type RecordOptions = Omit<RecordedCall, "caller" | "request" | "dialect">;

export interface CallSpec {
  caller: Caller;
  /** As the client named it. */
  model: string | undefined;
  /** What the client said, decoded; asked for once, and only where it is needed. */
  request: () => ModelRequest;
  /** The same as it was said, where more than that is asked. */
  said?: (() => ModelRequest) | undefined;
  /** The dialect that the client speaks. */
  dialect: string;
  /** What the client said, in its own words; absent where it must be translated for everybody. */
  wording?: ForwardableRequest | undefined;
  /** Headers that mean something to providers of the client's dialect. */
  headers?: Readonly<Record<string, string>> | undefined;
  /** Absent: nothing is recorded. */
  record?: RecordOptions | undefined;
  /** The answer that the messages of a call follow which is not recorded. */
  previousResponse?: string | undefined;
  stream: boolean;
  /** The client's connection: it ends calls that are not recorded (B89). */
  signal?: (() => AbortSignal) | undefined;
  onBreaks?: CallOptions["onBreaks"];
  /** Of the request, for spans. */
  traceparent?: string | undefined;
}

/** A call that has been routed and recognised; nothing is sent yet. It must be ended by `finish` or `fail`. */
export class OpenCall {
  readonly services: Services;
  readonly spec: CallSpec;
  readonly recording: Recording | undefined;
  readonly call: GatewayCall;
  readonly #span: Span;
  readonly #live: Set<OpenCall>;
  #answered: AttemptResult<unknown> | undefined;
  /** What did not arrive at whoever answers. */
  losses: readonly Loss[] = [];
  #isEnded = false;

  constructor(services: Services, spec: CallSpec, route: ModelRoute, recording: Recording | undefined) {
    this.services = services;
    this.spec = spec;
    this.recording = recording;
    const { wording, headers, stream, onBreaks, dialect } = spec;
    this.call = new GatewayCall(services.session, {
      request: () => requestOf(spec, recording),
      // What was restored or resolved is not in the client's words.
      wording: recording?.changed === true ? undefined : wording,
      headers: headers && { dialect, headers },
      route,
      stream,
      // A client that leaves does not end a recorded run.
      signal: recording === undefined ? spec.signal?.() : recording.cancelled,
      onBreaks,
    });
    this.#live = liveCalls(services).add(this);
    if (stream && recording?.earlier === undefined) recording?.begin(this.facts);
    const { provider, model } = this.facts;
    this.#span = services.tracer.span(
      `chat ${model}`,
      { "gen_ai.operation.name": "chat", "gen_ai.provider.name": provider, "gen_ai.request.model": model },
      spec.traceparent,
    );
  }

  /** The server is shutting down, and its time to finish is over. */
  stop(): void {
    this.call.scope.end(new ServerError("unavailable", "The server is shutting down."));
  }

  /** Who answers, or would be asked first. */
  get facts(): { provider: string; model: string } {
    const { provider, model } = (this.#answered?.target ?? this.call.targets[0]).asked;
    return { provider, model };
  }

  /** Asks until somebody answers. What it throws has ended the call. */
  async ask<T>(tryOnce: AttemptFunction<T>): Promise<T> {
    try {
      const answered = await runAttempts(this.call, tryOnce);
      this.#answered = answered;
      this.losses = answered.attempt.losses;
      // Before the first byte goes out.
      if (this.spec.stream) await this.recording?.ready();
      return answered.value;
    } catch (thrown) {
      this.call.scope.end(thrown);
      await this.fail(failureOfCall(thrown).error);
      throw thrown;
    }
  }

  /**
   * The answer is whole. Resolves when it is recorded, to what must be told instead where it is not, and such calls are
   * refused. `losses` are those of the answer at the client.
   */
  async finish(
    response: Response | undefined,
    losses: readonly Loss[] = [],
    recorded: Pick<RecordedAnswer, "response" | "streamed" | "responseId"> = {},
  ): Promise<ServerError | undefined> {
    this.#answered?.attempt.end({ usage: response?.usage });
    let refused: ServerError | undefined;
    try {
      await this.recording?.finish({ ...this.#outcome(losses), ...recorded });
    } catch (error) {
      refused = serverErrorOf(error);
      this.services.log.error("gateway.unrecorded", { run: this.recording?.runId ?? "" }, error);
    }
    this.#end(refused && failureOfCall(refused).error, response, losses);
    return refused;
  }

  /** Something of our own went wrong: whoever is being asked is told to stop, and the record ends. */
  async giveUp(thrown: unknown): Promise<void> {
    if (this.#isEnded) return;
    this.call.scope.end(thrown);
    await this.fail(failureOfCall(thrown).error);
  }

  /** The answer has failed. What arrived is kept, where it is recorded. */
  async fail(error: ProviderError, partial?: Response, aborted?: true): Promise<void> {
    const ending = { usage: partial?.usage, partial };
    this.#answered?.attempt.end(aborted === true ? { ...ending, aborted } : { ...ending, error });
    try {
      await this.recording?.fail(error, this.#outcome([]));
    } catch (cause) {
      this.services.log.error("gateway.unrecorded", { run: this.recording?.runId ?? "" }, cause);
    }
    this.#end(error, partial, []);
  }

  #outcome(losses: readonly Loss[]): {
    provider: string;
    model: string;
    attempts: GatewayCall["log"]["attempts"];
    losses: readonly Loss[];
  } {
    const { attempts } = this.call.log;
    return { ...this.facts, attempts, losses: losses.length === 0 ? this.losses : [...this.losses, ...losses] };
  }

  /** Nothing is asked: it was answered before. */
  discard(): void {
    this.#isEnded = true;
    this.call.scope.close();
    this.#live.delete(this);
    this.#span.end();
  }

  /** Whether the client left, or somebody cancelled the run. */
  get #isAborted(): boolean {
    const { ended } = this.call.scope;
    return ended?.reason instanceof ServerError && ended.reason.code === "aborted";
  }

  #end(error: ProviderError | undefined, response: Response | undefined, losses: readonly Loss[]): void {
    if (this.#isEnded) return;
    this.#isEnded = true;
    this.call.scope.close();
    const { services, spec } = this;
    const span = this.#span;
    this.#live.delete(this);
    const { provider, model } = this.facts;
    const usage = response?.usage;
    const ending = error === undefined ? "ok" : this.#isAborted ? "aborted" : error.kind;
    countersOf(services).count({ dialect: spec.dialect, provider, ending, usage, losses: [this.losses, losses] });
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

const LIVE = new WeakMap<Services, Set<OpenCall>>();

/** The calls of a server that are under way: a listener for all of them, instead of one for each. */
function liveCalls(services: Services): Set<OpenCall> {
  const known = LIVE.get(services);
  if (known !== undefined) return known;
  const live = new Set<OpenCall>();
  LIVE.set(services, live);
  services.stopping.addEventListener("abort", () => {
    for (const open of live) open.stop();
  });
  return live;
}

/** Routes a call and recognises its history. Throws a `ServerError`, or what decoding throws; nothing was sent then. */
export async function openCall(services: Services, recorder: Recorder, spec: CallSpec): Promise<OpenCall> {
  if (services.stopping.aborted) throw new ServerError("unavailable", "The server is shutting down; ask another one.");
  const route = routerOf(services).route(spec.model);
  const { caller, dialect, record } = spec;
  if (record === undefined) return new OpenCall(services, await resolved(recorder, spec), route, undefined);
  const request = spec.request();
  const known: CallSpec = { ...spec, request: () => request };
  const recording = await recorder.open({ caller, request, dialect, ...record });
  try {
    return new OpenCall(services, known, route, recording);
  } catch (thrown) {
    // What was opened is ended, whatever comes.
    const facts = { provider: "", model: route.targets[0], attempts: [], losses: [] };
    await recording?.fail(failureOfCall(thrown).error, facts);
    throw thrown;
  }
}

/** A call that is not recorded, with the history that it goes on from. */
async function resolved(recorder: Recorder, spec: CallSpec): Promise<CallSpec> {
  const { caller, dialect, previousResponse } = spec;
  if (previousResponse === undefined) return spec;
  const said = spec.request();
  const messages = await recorder.resolve?.({ caller, request: said, dialect, previousResponse });
  if (messages === undefined) return spec;
  const asked = withHistory(said, messages, true);
  return { ...spec, wording: undefined, said: spec.request, request: () => asked };
}

/** What is asked: with the history as the record has it, and without what that stands for. */
function requestOf({ request, record }: CallSpec, recording: Recording | undefined): ModelRequest {
  const said = request();
  // Also where it says nothing else than the client does: what is lost of it is recorded, and the same when asked again.
  if (recording === undefined || recording.messages === said.messages) return said;
  return withHistory(said, recording.messages, record?.previousResponse !== undefined);
}

const RESPONSES = "openai-responses";

function withHistory(said: ModelRequest, messages: readonly Message[], isResolved: boolean): ModelRequest {
  const asked: ModelRequest = { ...said, messages: [...messages] };
  if (!isResolved || asked.extra?.[RESPONSES] === undefined) return asked;
  const { previous_response_id: _, ...rest } = asked.extra[RESPONSES];
  return { ...asked, extra: { ...asked.extra, [RESPONSES]: rest } };
}
