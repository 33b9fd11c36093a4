// What the deltas of a run have come to so far: the judge of the next delta, and the source of what is stored at the end.
import { AssemblyError, RunAssembler } from "../../assembly/index.ts";
import { assignObject, copyObject } from "../../model/json.ts";
import {
  addUsage,
  type Message,
  type MessageDelta,
  type Metadata,
  type Response,
  type Usage,
} from "../../model/index.ts";
import { demandReadable, readableRest, withReadableCalls } from "./readable.ts";

/** Messages of a run, ready to be stored, and what they cost together. */
export interface Stored {
  messages: Message[];
  usage?: Usage;
  /** Where in an interrupted turn something was that could not be read back, and was left out. */
  left?: string[];
}

/** What is known of an answer; one that was cut off has not said why it ended. */
type Answer = Omit<Response, "finishReason" | "error"> & Partial<Pick<Response, "finishReason">>;

export class Turn {
  readonly #assembler = new RunAssembler();
  #responses: readonly Answer[] = [];

  /** Takes one delta; an illegal one throws an `AssemblyError` and changes nothing. */
  take(delta: MessageDelta): void {
    this.#assembler.push(delta);
    // A stream that is cut off later tells of its messages, but no more of what was said about them.
    if (delta.kind === "done") this.#responses = this.#assembler.finish().responses;
  }

  /**
   * The finished turn. Throws an `AssemblyError` where the last answer failed or has not ended, a `LedgerError` where a
   * message could not be read back.
   */
  finished(provider: string | undefined): Stored {
    const { messages, responses } = this.#assembler.finish();
    const turn = stored(messages, responses, provider);
    return { ...turn, messages: demandReadable(turn.messages) };
  }

  /** What there is of a turn that will not be finished, marked as interrupted (B90). Messages without parts say nothing. */
  interrupted(provider: string | undefined): Stored {
    const { messages, responses } = this.#remains();
    const { messages: described, usage } = stored(messages, responses, provider);
    const rest = described.map(readableRest);
    const kept = rest.map(({ message }) => message).filter(({ parts }) => parts.length > 0);
    const turn: Stored = { messages: kept.map(markInterrupted) };
    const left = rest.flatMap((each, index) => each.left.map((path) => `/messages/${index}${path}`));
    if (left.length > 0) turn.left = left;
    if (usage !== undefined) turn.usage = usage;
    return turn;
  }

  #remains(): { messages: Message[]; responses: readonly Answer[] } {
    try {
      return this.#assembler.finish();
    } catch (error) {
      if (!(error instanceof AssemblyError)) throw error;
      const { messages = [], response } = error;
      if (response === undefined) return { messages, responses: this.#responses };
      const { finishReason: _, ...cutOff } = response;
      const last: Answer = error.error === undefined ? cutOff : response;
      return { messages: [...messages, last.message], responses: [...this.#responses, last] };
    }
  }
}

/** Describes each answer's message by its response. */
function stored(messages: readonly Message[], responses: readonly Answer[], provider: string | undefined): Stored {
  const responseOf = new Map(responses.map((response) => [response.message, response]));
  const described = messages.map((message) => {
    const response = responseOf.get(message);
    return response === undefined ? withReadableCalls(message) : messageFromResponse(response, provider);
  });
  return withUsage(described, responses);
}

/** The message that is stored of an answer: with what its response says, and with arguments that can be read back. */
export function messageFromResponse(response: Answer, provider: string | undefined): Message {
  return withReadableCalls(describe(response.message, response, provider));
}

/** Messages that a caller gives for a run in place of its stream; each may say what it cost. */
export function givenTurn(messages: readonly Message[]): Stored {
  return withUsage(
    [...messages],
    messages.map(({ metadata }) => metadata ?? {}),
  );
}

/** Of one answer every count is kept, of several what can be summed; where nothing was counted, nothing is said. */
function withUsage(messages: Message[], counted: readonly { usage?: Usage }[]): Stored {
  const usages = counted.flatMap(({ usage }) => (usage === undefined ? [] : [usage]));
  return usages.length === 0 ? { messages } : { messages, usage: usages.reduce(addUsage) };
}

/** The message with what its response says; what it says itself wins. */
function describe(message: Message, response: Answer, provider: string | undefined): Message {
  const facts: Metadata = {};
  if (response.model !== "") facts.model = response.model;
  if (provider !== undefined) facts.provider = provider;
  if (response.finishReason !== undefined) facts.finishReason = response.finishReason;
  if (response.usage !== undefined) facts.usage = response.usage;
  const rest = restOf(response);
  if (Object.keys(rest).length > 0) facts["response"] = rest;
  return withMetadata(message, message.metadata === undefined ? facts : assignObject(facts, message.metadata));
}

/** What else the response says: the deltas that say it do not last, and nothing of an answer is lost with them. */
function restOf({ id, createdAt, extra, alternatives }: Answer): Partial<Response> {
  const rest: Partial<Response> = {};
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
