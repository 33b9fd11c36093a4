// A source that is one stream of events: its dialect told by the first event that shows it, then event by event into
// whatever takes them. An event that cannot be read is told, and the stream goes on.
import type { Dialect } from "../../dialects/index.ts";
import { detectDialect, dialects } from "../../dialects/index.ts";
import { parseJson } from "../../model/index.ts";
import { CliError } from "../exit.ts";
import type { RawRecord } from "../read/raw-record.ts";
import type { ExpectedInput } from "../read/classify-record.ts";

/** What takes the events of one stream. */
export interface EventTaker {
  push(event: unknown): void;
  end(): void;
}

/** How many events may pass before one must show whose they are. */
const PATIENCE = 32;

export class StreamFeed {
  #taker: EventTaker | undefined;
  readonly #waiting: unknown[] = [];
  readonly #wanted: ExpectedInput;
  readonly #begin: (dialect: Dialect) => EventTaker;

  constructor(wanted: ExpectedInput, begin: (dialect: Dialect) => EventTaker) {
    this.#wanted = wanted;
    this.#begin = begin;
  }

  push(piece: RawRecord): void {
    if (piece.problem !== undefined) throw new CliError("record", piece.problem);
    const data = piece.text === "[DONE]" ? piece.text : parseJson(piece.text);
    const event = piece.event === undefined ? data : { event: piece.event, data };
    if (this.#taker !== undefined) return this.#taker.push(event);
    this.#waiting.push(event);
    const id = this.#wanted.from === undefined ? detectDialect(data)?.dialect : this.#wanted.from.id;
    if (id !== undefined) this.#start(this.#wanted.from ?? this.#wanted.getDialect(id));
    else if (this.#waiting.length >= PATIENCE) throw undecided();
  }

  #start(dialect: Dialect): void {
    const taker = this.#begin(dialect);
    this.#taker = taker;
    for (const event of this.#waiting.splice(0)) taker.push(event);
  }

  end(): void {
    if (this.#taker === undefined && this.#wanted.from !== undefined) this.#start(this.#wanted.from);
    if (this.#taker === undefined) throw undecided();
    this.#taker.end();
  }
}

function undecided(): CliError {
  return new CliError(
    "stopped",
    `No event shows which dialect the stream is of; give --from (${dialects.join(", ")}).`,
  );
}
