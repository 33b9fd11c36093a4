// Calls for parts of the server that speak the model's own words: tasks of the page, regenerated answers, `useChat`.
import { disassemble } from "../../assembly/index.ts";
import { errorDelta } from "../../client/calls/failure.ts";
import type { CallOptions } from "../../client/types.ts";
import type { Delta, Loss, ProviderError, ModelRequest, Response } from "../../model/index.ts";
import { ServerError } from "../errors.ts";
import type { Recorder, Recording } from "../record/types.ts";
import type { Caller, Services } from "../types.ts";
import type { OpenCall, RecordOptions } from "./open-call.ts";
import { openCall } from "./open-call.ts";
import { serverErrorOfCall } from "./failure.ts";
import { LiveAnswer } from "./live.ts";

interface ModelCallInput {
  caller: Caller;
  /** `model` as clients name it: an alias, `provider/model` … */
  request: ModelRequest;
  /** What the client speaks, for the record. */
  dialect: string;
  /** Absent: as the configuration says; false: nothing is recorded. */
  record?: RecordOptions | false | undefined;
  /** Ends a call that is not recorded: its client has left. */
  signal?: AbortSignal | undefined;
  onBreaks?: CallOptions["onBreaks"];
  traceparent?: string | undefined;
  /** Hears where the call is recorded before anybody is asked: a model may think for long before its first word. */
  onOpen?: ((recording: Recording | undefined) => void) | undefined;
}

/** An answer that has begun. Whoever stops reading one that is recorded calls `drain`: the run goes on without them. */
export interface ModelAnswer {
  readonly recording: Recording | undefined;
  readonly provider: string;
  /** As the provider was asked. */
  readonly model: string;
  /** What did not arrive at the provider. */
  readonly losses: readonly Loss[];
  /**
   * The next deltas; undefined at the end. The last ones are given when they are recorded; those of an answer that failed
   * end with an `error`. `losses`: what the client was not told, for the record; asked for once, at the end.
   */
  next(losses?: (last: readonly Delta[]) => readonly Loss[]): Promise<readonly Delta[] | undefined>;
  /** Reads on to the end. Throws a `ServerError` where the answer failed. */
  response(): Promise<Response>;
  /** Reads on to the end in the background. */
  drain(): void;
}

/** Asks, and resolves when something is said. Throws a `ServerError` where nothing was: no model, no answer, no record. */
export async function callModel(services: Services, recorder: Recorder, input: ModelCallInput): Promise<ModelAnswer> {
  const { caller, request, dialect, signal, onBreaks, traceparent } = input;
  const isRecorded = input.record !== false && (input.record !== undefined || services.config.record.enabled);
  try {
    const open = await openCall(services, recorder, {
      caller,
      model: request.model,
      request: () => request,
      dialect,
      record: isRecorded ? input.record || {} : undefined,
      stream: true,
      signal: signal && (() => signal),
      onBreaks,
      traceparent,
    });
    const { recording } = open;
    input.onOpen?.(recording);
    if (recording?.earlier !== undefined) return earlierAnswer(open, recording.earlier);
    return new Answer(services, await LiveAnswer.begin(open));
  } catch (thrown) {
    throw serverErrorOfCall(thrown);
  }
}

class Answer implements ModelAnswer {
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
    this.provider = open.facts.provider;
    this.model = open.facts.model;
    this.losses = open.losses;
  }

  async next(losses: (last: readonly Delta[]) => readonly Loss[] = () => []): Promise<readonly Delta[] | undefined> {
    const live = this.#live;
    if (this.#isOver) return undefined;
    const batch = await live.read();
    if (!live.isOver) return batch;
    this.#isOver = true;
    const refused = await live.conclude(losses(batch));
    this.#error = refused ?? live.error;
    return refused === undefined ? batch : [...batch.filter(({ kind }) => kind !== "done"), errorDelta(refused)];
  }

  async response(): Promise<Response> {
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

/** An answer that was given before, to the same idempotency key. */
function earlierAnswer(open: OpenCall, earlier: Response): ModelAnswer {
  const { recording, facts } = open;
  open.discard();
  let deltas: readonly Delta[] | undefined = disassemble(earlier);
  return {
    recording,
    ...facts,
    losses: [],
    async next() {
      const given = deltas;
      deltas = undefined;
      return given;
    },
    response: async () => earlier,
    drain: () => {},
  };
}
