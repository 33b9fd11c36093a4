// Calls a model for the server modules that do not use a client protocol of the gateway: regenerate and `useChat`.
import { disassemble } from "../../assembly/index.ts";
import type { CallOptions } from "../../calls/index.ts";
import { toErrorDelta } from "../../calls/index.ts";
import type { Delta, Loss, ProviderError, ModelRequest, ModelResponse } from "../../model/index.ts";
import { ServerError } from "../errors.ts";
import type { Recorder, Recording } from "../record/types.ts";
import type { Caller, Services } from "../types.ts";
import type { OpenCall, RecordOptions } from "./open-call.ts";
import { openCall } from "./open-call.ts";
import { toCallServerError } from "./call-failure.ts";
import { LiveAnswer } from "./live-answer.ts";

interface ModelCallInput {
  caller: Caller;
  /** The request; its `model` is the name that the client uses, such as an alias or `provider/model`. */
  request: ModelRequest;
  /** The client's dialect, stored with the run. */
  dialect: string;
  /**
   * The options of the recording; false if the call is not recorded. If undefined, the setting `record.enabled` decides
   * whether the call is recorded.
   */
  record?: RecordOptions | false | undefined;
  /** The signal that is aborted when the client disconnects. It ends the call only if the call is not recorded. */
  signal?: AbortSignal | undefined;
  onBreaks?: CallOptions["onBreaks"];
  traceparent?: string | undefined;
  /**
   * Receives the recording before the first attempt, so that the run id is known although a model may take long until
   * its first delta.
   */
  onOpen?: ((recording: Recording | undefined) => void) | undefined;
}

/** A started answer. If the client stops reading, `drain` must be called, so that a recorded run is completed. */
export interface ModelAnswer {
  readonly recording: Recording | undefined;
  readonly provider: string;
  /** The model name as sent to the provider. */
  readonly model: string;
  /** The losses of the request in the provider's dialect. */
  readonly losses: readonly Loss[];
  /**
   * Returns the next deltas; undefined after the last batch. The last batch is returned only after the answer has been
   * recorded; a failed answer ends with an `error` delta. `losses` is called once, with the last batch, and returns the
   * losses of the answer in the client's dialect, which are recorded.
   */
  next(losses?: (last: readonly Delta[]) => readonly Loss[]): Promise<readonly Delta[] | undefined>;
  /** Reads the answer to its end and returns it. Throws a `ServerError` if the answer failed. */
  response(): Promise<ModelResponse>;
  /** Reads the rest of the answer in the background, so that the complete answer is recorded. */
  drain(): void;
}

/**
 * Starts a call and resolves at the first content of the answer. Throws a `ServerError` if the model is unknown, the
 * call fails, or the call cannot be recorded.
 */
export async function callModel(services: Services, recorder: Recorder, input: ModelCallInput): Promise<ModelAnswer> {
  const { caller, request, dialect, signal, onBreaks, traceparent } = input;
  const isRecorded = input.record !== false && (input.record !== undefined || services.config.record.enabled);
  try {
    const open = await openCall(services, recorder, {
      caller,
      model: request.model,
      getRequest: () => request,
      dialect,
      record: isRecorded ? input.record || {} : undefined,
      stream: true,
      signal: signal && (() => signal),
      onBreaks,
      traceparent,
    });
    const { recording } = open;
    input.onOpen?.(recording);
    if (recording?.earlierAnswer !== undefined) return replayModelAnswer(open, recording.earlierAnswer);
    return new LiveModelAnswer(services, await LiveAnswer.start(open));
  } catch (thrown) {
    throw toCallServerError(thrown);
  }
}

class LiveModelAnswer implements ModelAnswer {
  readonly recording: Recording | undefined;
  readonly provider: string;
  readonly model: string;
  readonly losses: readonly Loss[];
  readonly #services: Services;
  readonly #live: LiveAnswer;
  #isOver = false;
  #error: ProviderError | undefined;

  constructor(services: Services, live: LiveAnswer) {
    const { open } = live;
    this.#services = services;
    this.#live = live;
    this.recording = open.recording;
    this.provider = open.targetInfo.provider;
    this.model = open.targetInfo.model;
    this.losses = open.losses;
  }

  async next(losses: (last: readonly Delta[]) => readonly Loss[] = () => []): Promise<readonly Delta[] | undefined> {
    const live = this.#live;
    if (this.#isOver) return undefined;
    const batch = await live.read();
    if (!live.isOver) return batch;
    this.#isOver = true;
    const recordError = await live.conclude(losses(batch));
    this.#error = recordError ?? live.error;
    return recordError === undefined
      ? batch
      : [...batch.filter(({ kind }) => kind !== "done"), toErrorDelta(recordError)];
  }

  async response(): Promise<ModelResponse> {
    while ((await this.next()) !== undefined);
    const error = this.#error;
    if (error !== undefined) throw new ServerError("upstream", error.message, { error });
    return this.#live.response();
  }

  drain(): void {
    this.#services.background(this.#rest());
  }

  async #rest(): Promise<void> {
    while ((await this.next()) !== undefined);
  }
}

/** Replays the recorded answer of an earlier call with the same idempotency key (B95). */
function replayModelAnswer(open: OpenCall, earlierAnswer: ModelResponse): ModelAnswer {
  const { recording, targetInfo } = open;
  open.discard();
  let deltas: readonly Delta[] | undefined = disassemble(earlierAnswer);
  return {
    recording,
    ...targetInfo,
    losses: [],
    async next() {
      const batch = deltas;
      deltas = undefined;
      return batch;
    },
    response: async () => earlierAnswer,
    drain: () => {},
  };
}
