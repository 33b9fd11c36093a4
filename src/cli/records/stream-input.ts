// Feeds the events of a source that is one stream to a consumer. Events are buffered until one of them shows the
// dialect of the stream.
import type { Dialect } from "../../dialects/index.ts";
import { detectDialect, dialects } from "../../dialects/index.ts";
import { parseJson } from "../../model/index.ts";
import { CliError } from "../exit.ts";
import type { RawRecord } from "../read/raw-record.ts";
import type { ExpectedInput } from "../read/classify-record.ts";

/** Receives the events of one stream. */
export interface StreamEventConsumer {
  push(event: unknown): void;
  end(): void;
}

/** The number of events after which an undetected dialect is an error. */
const MAX_UNDETECTED_EVENTS = 32;

export class StreamInput {
  #consumer: StreamEventConsumer | undefined;
  readonly #buffered: unknown[] = [];
  readonly #expected: ExpectedInput;
  readonly #createConsumer: (dialect: Dialect) => StreamEventConsumer;

  constructor(expected: ExpectedInput, createConsumer: (dialect: Dialect) => StreamEventConsumer) {
    this.#expected = expected;
    this.#createConsumer = createConsumer;
  }

  push(rawRecord: RawRecord): void {
    if (rawRecord.problem !== undefined) throw new CliError("record", rawRecord.problem);
    const data = rawRecord.text === "[DONE]" ? rawRecord.text : parseJson(rawRecord.text);
    const event = rawRecord.event === undefined ? data : { event: rawRecord.event, data };
    if (this.#consumer !== undefined) return this.#consumer.push(event);
    this.#buffered.push(event);
    const id = this.#expected.from === undefined ? detectDialect(data)?.dialect : this.#expected.from.id;
    if (id !== undefined) this.#start(this.#expected.from ?? this.#expected.getDialect(id));
    else if (this.#buffered.length >= MAX_UNDETECTED_EVENTS) throw createUndetectedError();
  }

  #start(dialect: Dialect): void {
    const consumer = this.#createConsumer(dialect);
    this.#consumer = consumer;
    for (const event of this.#buffered.splice(0)) consumer.push(event);
  }

  end(): void {
    if (this.#consumer === undefined && this.#expected.from !== undefined) this.#start(this.#expected.from);
    if (this.#consumer === undefined) throw createUndetectedError();
    this.#consumer.end();
  }
}

function createUndetectedError(): CliError {
  return new CliError(
    "stopped",
    `The dialect of the stream cannot be detected from its events; name it with --from (${dialects.join(", ")}).`,
  );
}
