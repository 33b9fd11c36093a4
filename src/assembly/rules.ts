// The rules of a delta sequence, by name, and the error that names the broken one.
import type { ErrorPayload } from "../model/delta.ts";
import { KoineError } from "../model/errors.ts";
import type { Message } from "../model/message.ts";
import type { ModelResponse } from "../model/response.ts";
import type { Usage } from "../model/usage.ts";

/** Every rule of the contract. The key is the stable code, the sentence is what must hold. */
export const RULES = {
  "start-first": "An answer begins with `start`.",
  "start-once": "An answer has one `start`.",
  "terminal-last": "Nothing follows `done` or `error` but a tool result or the next answer's `start`.",
  "terminal-missing": "An answer ends with `done` or `error`; without it the stream was cut off.",
  "error-no-message": "An answer that ends with `error` yields no message.",
  "seq-increasing": "`seq` grows with every delta of a run.",
  "same-run": "All deltas of a sequence have one `runId`.",
  "contract-version": "`contractVersion` is one that this reader knows.",
  "known-kind": "`kind` is one of the contract's words.",
  payload: "The payload has the fields of its kind.",
  "call-unique": "A `toolCallId` is used for one call in a run.",
  "call-started": "Arguments and ends belong to a call that was started in this answer.",
  "call-open": "Nothing is added to a call that has ended.",
  "result-once": "A call has one result.",
  "result-traced": "The result of a client's tool belongs to a call of the run.",
  "result-between": 'A result with `role: "tool"` stands between answers, and nothing else does.',
  "part-kind": "A part keeps its kind: its identity is not used for another one.",
  "part-exists": "A seal or annotation belongs to a part that is there.",
  "summary-dense": "Summaries of a reasoning part begin in order: 0, 1, 2 …",
} as const;
export type Rule = keyof typeof RULES;

/** A broken rule, as data. */
export interface Violation {
  rule: Rule;
  /** The stamped `seq`, else the position in the sequence. */
  seq: number;
  message: string;
}

/** What a failed assembly can still give. */
export interface PartialAnswer {
  /** What had arrived, marked `metadata.interrupted` (B90). */
  partial?: Message | undefined;
  /** The usage seen so far (B67). */
  usage?: Usage | undefined;
  /** The `error` delta's payload, where one ended the answer. */
  error?: ErrorPayload | undefined;
  /** Everything that had arrived, as a response that says it failed. */
  response?: ModelResponse | undefined;
  /** The messages of the run that were complete before. */
  messages?: Message[] | undefined;
}

/** A delta sequence that gives no message. `code` and `rule` name the broken rule, `seq` says where. */
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

  constructor(rule: Rule, seq: number, detail: string, remains: PartialAnswer = {}) {
    super(rule, `Delta ${seq}: ${detail} Rule "${rule}": ${RULES[rule]}`);
    this.#detail = detail;
    this.rule = rule;
    this.seq = seq;
    this.partial = remains.partial;
    this.usage = remains.usage;
    this.error = remains.error;
    this.response = remains.response;
    this.messages = remains.messages;
  }

  /** The same error of a run in which these messages were complete before. */
  after(messages: Message[]): AssemblyError {
    return new AssemblyError(this.rule, this.seq, this.#detail, { ...this.#remains(), messages });
  }

  #remains(): PartialAnswer {
    const { partial, usage, error, response } = this;
    return { partial, usage, error, response };
  }
}
