// Assembles the deltas of a run, rejects illegal deltas, and returns the messages to store at the end of the run.
import { AssemblyError, RunAssembler } from "../../assembly/index.ts";
import { assignObject, copyObject } from "../../model/json/index.ts";
import {
  addUsage,
  type Message,
  type MessageDelta,
  type Metadata,
  type ModelResponse,
  type Usage,
} from "../../model/index.ts";
import { requireStorableTurn, removeUnstorable, limitInputDepth } from "./depth-limit.ts";

/** The messages of a run and the sum of their usage. */
export interface TurnContent {
  messages: Message[];
  usage?: Usage;
  /** The paths of the values in an interrupted turn that were dropped, because they cannot be stored. */
  dropped?: string[];
}

/** A response that may have no finish reason, because the stream was cut off. */
type PartialResponse = Omit<ModelResponse, "finishReason" | "error"> & Partial<Pick<ModelResponse, "finishReason">>;

/** Assembles the deltas of a run. */
export class RunTurn {
  readonly #assembler = new RunAssembler();
  #responses: readonly PartialResponse[] = [];

  /** Adds one delta. Throws an `AssemblyError` if the delta is illegal; the turn is then unchanged. */
  push(delta: MessageDelta): void {
    this.#assembler.push(delta);
    // The finished responses are stored at each "done", because the assembler does not return them if the stream is cut
    // off in a later answer.
    if (delta.kind === "done") this.#responses = this.#assembler.finish().responses;
  }

  /**
   * Returns the finished turn. Throws an `AssemblyError` if the last answer failed or has not ended, and a
   * `LedgerError` if a message cannot be stored.
   */
  finish(provider: string | undefined): TurnContent {
    const { messages, responses } = this.#assembler.finish();
    const turn = toTurnContent(messages, responses, provider);
    return { ...turn, messages: requireStorableTurn(turn.messages) };
  }

  /**
   * Returns the messages of an unfinished turn, marked as interrupted (B90). Drops values that cannot be stored, and
   * messages without parts.
   */
  interrupt(provider: string | undefined): TurnContent {
    const { messages, responses } = this.#finishPartial();
    const { messages: described, usage } = toTurnContent(messages, responses, provider);
    const storable = described.map(removeUnstorable);
    const nonEmpty = storable.map(({ message }) => message).filter(({ parts }) => parts.length > 0);
    const turn: TurnContent = { messages: nonEmpty.map(markInterrupted) };
    const dropped = storable.flatMap((each, index) => each.dropped.map((path) => `/messages/${index}${path}`));
    if (dropped.length > 0) turn.dropped = dropped;
    if (usage !== undefined) turn.usage = usage;
    return turn;
  }

  #finishPartial(): { messages: Message[]; responses: readonly PartialResponse[] } {
    try {
      return this.#assembler.finish();
    } catch (error) {
      if (!(error instanceof AssemblyError)) throw error;
      const { messages = [], response } = error;
      if (response === undefined) return { messages, responses: this.#responses };
      const { finishReason: _, ...cutOff } = response;
      const last: PartialResponse = error.error === undefined ? cutOff : response;
      return { messages: [...messages, last.message], responses: [...this.#responses, last] };
    }
  }
}

/**
 * Returns the messages, and the sum of the usage of the responses. The message of a response gets the response's fields
 * as metadata.
 */
function toTurnContent(
  messages: readonly Message[],
  responses: readonly PartialResponse[],
  provider: string | undefined,
): TurnContent {
  const responseOf = new Map(responses.map((response) => [response.message, response]));
  const described = messages.map((message) => {
    const response = responseOf.get(message);
    return response === undefined ? limitInputDepth(message) : messageFromResponse(response, provider);
  });
  return addUsageSum(described, responses);
}

/**
 * Returns the message to store for a response. Its metadata contains the fields of the response, and arguments that are
 * nested too deeply are replaced by their text.
 */
export function messageFromResponse(response: PartialResponse, provider: string | undefined): Message {
  return limitInputDepth(addResponseMetadata(response.message, response, provider));
}

/**
 * Returns the content of a turn whose messages a caller commits instead of streamed deltas. The usage is read from the
 * metadata of the messages.
 */
export function toTurnFromMessages(messages: readonly Message[]): TurnContent {
  return addUsageSum(
    [...messages],
    messages.map(({ metadata }) => metadata ?? {}),
  );
}

/**
 * Returns the messages with the sum of the usages of `counted`. A single usage is returned with all its counts; of
 * several usages, only the counts that can be summed are returned. Without any usage, there is no sum.
 */
function addUsageSum(messages: Message[], counted: readonly { usage?: Usage }[]): TurnContent {
  const usages = counted.flatMap(({ usage }) => (usage === undefined ? [] : [usage]));
  return usages.length === 0 ? { messages } : { messages, usage: usages.reduce(addUsage) };
}

/**
 * Returns the message with the response's fields in its metadata. Metadata that the message already has takes
 * precedence.
 */
function addResponseMetadata(message: Message, response: PartialResponse, provider: string | undefined): Message {
  const fields: Metadata = {};
  if (response.model !== "") fields.model = response.model;
  if (provider !== undefined) fields.provider = provider;
  if (response.finishReason !== undefined) fields.finishReason = response.finishReason;
  if (response.usage !== undefined) fields.usage = response.usage;
  const rest = selectOtherFields(response);
  if (Object.keys(rest).length > 0) fields["response"] = rest;
  return withMetadata(message, message.metadata === undefined ? fields : assignObject(fields, message.metadata));
}

/**
 * Returns the response's fields for which message metadata has no field of its own. They are stored, because the deltas
 * that contain them are deleted later.
 */
function selectOtherFields({ id, createdAt, extra, alternatives }: PartialResponse): Partial<ModelResponse> {
  const rest: Partial<ModelResponse> = {};
  if (id !== "") rest.id = id;
  if (createdAt !== undefined) rest.createdAt = createdAt;
  if (extra !== undefined) rest.extra = extra;
  if (alternatives !== undefined) rest.alternatives = alternatives;
  return rest;
}

export function markInterrupted(message: Message): Message {
  return withMetadata(message, Object.assign(copyObject(message.metadata ?? {}), { interrupted: true }));
}

function withMetadata(message: Message, metadata: Metadata): Message {
  return Object.assign(copyObject(message), { metadata });
}
