// Defines the rules of a delta sequence, and the error that names a broken rule.
import type { ErrorPayload } from "../model/delta.ts";
import { KoineError } from "../model/errors.ts";
import type { Message } from "../model/message.ts";
import type { ModelResponse } from "../model/response.ts";
import type { Usage } from "../model/usage.ts";

/** Every rule of the delta contract by its stable code. */
export const RULES = {
  "start-first": "An answer begins with `start`.",
  "start-once": "An answer has one `start`.",
  "terminal-last": "Nothing follows `done` or `error` but a tool result or the next answer's `start`.",
  "terminal-missing": "An answer ends with `done` or `error`; without it the stream was cut off.",
  "error-no-message": "An answer that ends with `error` yields no message.",
  "seq-increasing": "`seq` grows with every delta of a run.",
  "same-run": "All deltas of a sequence have one `runId`.",
  "contract-version": "`contractVersion` is one that this reader knows.",
  "known-kind": "`kind` is one of the kinds of the contract.",
  payload: "The payload has the fields of its kind.",
  "call-unique": "A `toolCallId` is used for one call in a run.",
  "call-started": "Arguments and ends belong to a call that was started in this answer.",
  "call-open": "Nothing is added to a call that has ended.",
  "result-once": "A call has one result.",
  "result-traced": "The result of a client's tool belongs to a call of the run.",
  "result-between": 'A result with `role: "tool"` is between two answers, and no other part is.',
  "part-kind": "A part key is used for one part of one kind.",
  "part-exists": "A seal or annotation belongs to an existing part.",
  "summary-dense": "Summaries of a reasoning part begin in order: 0, 1, 2 …",
} as const;
/** The code of a rule, which is a key of `RULES`. */
export type Rule = keyof typeof RULES;

/** A broken rule of a delta sequence. */
export interface Violation {
  rule: Rule;
  /** The `seq` of the delta or, if it has none, its position in the sequence. */
  seq: number;
  message: string;
}

/** The content of an answer that failed or was cut off. */
export interface PartialAnswer {
  /** The partial message, marked with `metadata.interrupted` (B90). */
  partial?: Message | undefined;
  /** The usage received so far (B67). */
  usage?: Usage | undefined;
  /** The payload of the `error` delta, if there was one. */
  error?: ErrorPayload | undefined;
  /** The partial answer as a response with an error. */
  response?: ModelResponse | undefined;
  /** The complete messages of the run before this answer. */
  messages?: Message[] | undefined;
}

/**
 * Thrown for a delta sequence that does not assemble. `code` and `rule` name the broken rule; `seq` identifies the
 * delta.
 */
export class AssemblyError extends KoineError<Rule> implements Violation, PartialAnswer {
  override readonly name = "AssemblyError";
  readonly #detail: string;
  readonly rule: Rule;
  readonly seq: number;
  readonly partial: Message | undefined;
  readonly usage: Usage | undefined;
  readonly error: ErrorPayload | undefined;
  readonly response: ModelResponse | undefined;
  readonly messages: Message[] | undefined;

  constructor(rule: Rule, seq: number, detail: string, partialAnswer: PartialAnswer = {}) {
    super(rule, `Delta ${seq}: ${detail} Rule "${rule}": ${RULES[rule]}`);
    this.#detail = detail;
    this.rule = rule;
    this.seq = seq;
    this.partial = partialAnswer.partial;
    this.usage = partialAnswer.usage;
    this.error = partialAnswer.error;
    this.response = partialAnswer.response;
    this.messages = partialAnswer.messages;
  }

  /** Returns a copy of this error that also has the complete messages of the run. */
  withMessages(messages: Message[]): AssemblyError {
    return new AssemblyError(this.rule, this.seq, this.#detail, { ...this.#partialAnswer(), messages });
  }

  #partialAnswer(): PartialAnswer {
    const { partial, usage, error, response } = this;
    return { partial, usage, error, response };
  }
}
