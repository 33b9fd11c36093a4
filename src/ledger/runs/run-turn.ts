// The turn of a run: assembles its deltas, rejects illegal ones, and returns the messages to store at the end.
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
  /** The paths of values in an interrupted turn that cannot be stored and were dropped. */
  dropped?: string[];
}

/** A response that may have no finish reason, because the stream was cut off. */
type PartialResponse = Omit<ModelResponse, "finishReason" | "error"> & Partial<Pick<ModelResponse, "finishReason">>;

/** Assembles the deltas of a run. */
export class RunTurn {
  readonly #assembler = new RunAssembler();
  #responses: readonly PartialResponse[] = [];

  /** Adds one delta; an illegal one throws an `AssemblyError` and changes nothing. */
  push(delta: MessageDelta): void {
    this.#assembler.push(delta);
    // Kept here, because the assembler does not return earlier responses after a cut-off stream.
    if (delta.kind === "done") this.#responses = this.#assembler.finish().responses;
  }

  /**
   * Returns the finished turn. Throws an `AssemblyError` if the last answer failed or has not ended, a `LedgerError` if
   * a message cannot be stored.
   */
  finish(provider: string | undefined): TurnContent {
    const { messages, responses } = this.#assembler.finish();
    const turn = toTurnContent(messages, responses, provider);
    return { ...turn, messages: requireStorableTurn(turn.messages) };
  }

  /** Returns the messages of an unfinished turn, marked as interrupted (B90). Messages without parts are omitted. */
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

/** Adds to each answer's message the metadata of its response. */
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
 * Returns the message to store for a response: with the response's metadata, and with arguments of a storable depth.
 */
export function messageFromResponse(response: PartialResponse, provider: string | undefined): Message {
  return limitInputDepth(addResponseMetadata(response.message, response, provider));
}

/** Returns the turn of messages that a caller commits instead of the stream; their metadata may contain usage. */
export function toTurnFromMessages(messages: readonly Message[]): TurnContent {
  return addUsageSum(
    [...messages],
    messages.map(({ metadata }) => metadata ?? {}),
  );
}

/**
 * Adds the sum of the usages: all counts of a single answer, the summable ones of several; none if nothing was counted.
 */
function addUsageSum(messages: Message[], counted: readonly { usage?: Usage }[]): TurnContent {
  const usages = counted.flatMap(({ usage }) => (usage === undefined ? [] : [usage]));
  return usages.length === 0 ? { messages } : { messages, usage: usages.reduce(addUsage) };
}

/** Adds the response's fields to the message's metadata; existing metadata wins. */
function addResponseMetadata(message: Message, response: PartialResponse, provider: string | undefined): Message {
  const facts: Metadata = {};
  if (response.model !== "") facts.model = response.model;
  if (provider !== undefined) facts.provider = provider;
  if (response.finishReason !== undefined) facts.finishReason = response.finishReason;
  if (response.usage !== undefined) facts.usage = response.usage;
  const rest = selectOtherFields(response);
  if (Object.keys(rest).length > 0) facts["response"] = rest;
  return withMetadata(message, message.metadata === undefined ? facts : assignObject(facts, message.metadata));
}

/** Returns the other fields of the response: the deltas that contain them are deleted later. */
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
