// The visitor of `koine inspect --json`: each record as the model has it, a line of JSON each.
import type { Dialect } from "../../dialects/index.ts";
import type { Loss, Message } from "../../model/index.ts";
import { stringifyJson } from "../../model/index.ts";
import type { RecordKind, ClassifiedRecord } from "../read/classify-record.ts";
import type { Failure } from "../write/report.ts";
import type { Sink } from "../write/sink.ts";
import type { Decoded } from "./decoded.ts";
import { decodedStream, decodeRecord, decodeStream } from "./decoded.ts";
import type { EventTaker } from "./streams.ts";
import type { Tally } from "./tally.ts";
import type { Target } from "./target.ts";
import { convertRecord, encodeAnswers } from "./target.ts";
import type { Place, Visitor } from "./walk.ts";

/** A line of the output; a record that failed has an error, and perhaps what arrived of it. */
interface Entry extends Place {
  from?: string;
  /** It could be another dialect's as well. */
  guessed?: true;
  kind?: RecordKind;
  value?: Decoded["value"] | Message[];
  losses?: readonly Loss[];
  error?: Failure;
}

export class InspectionData implements Visitor {
  readonly #sink: Sink;
  readonly #target: Target | undefined;
  readonly #tally: Tally;
  /** What arrived of a stream that broke off; it goes with the failure. */
  #rest: Omit<Entry, keyof Place> = {};

  constructor(sink: Sink, target: Target | undefined, tally: Tally) {
    this.#sink = sink;
    this.#target = target;
    this.#tally = tally;
  }

  record(record: ClassifiedRecord, place: Place): void {
    const { dialect, kind, isGuess } = record;
    const { value } = decodeRecord(record);
    const losses = this.#target === undefined ? undefined : convertRecord(record, this.#target).losses;
    this.#add({ ...place, from: dialect.id, ...(isGuess && { guessed: true }), kind, value }, losses);
  }

  stream(dialect: Dialect, place: Place): EventTaker {
    const head = { from: dialect.id, kind: "stream" } as const;
    const target = this.#target;
    return decodeStream(dialect, {
      whole: (assembled) => {
        const { messages, responses } = assembled;
        const losses = target === undefined ? undefined : encodeAnswers(messages, responses, target).losses;
        this.#add({ ...place, ...head, value: decodedStream(assembled).value }, losses);
      },
      rest: (messages) => {
        this.#rest = { ...head, value: messages };
      },
    });
  }

  #add(entry: Entry, losses: readonly Loss[] | undefined): void {
    if (losses !== undefined) this.#tally.add(losses, entry.file, entry.line);
    this.#sink.write(`${stringifyJson(losses === undefined ? entry : { ...entry, losses })}\n`);
  }

  failure(error: Failure, place: Place): void {
    this.#add({ ...place, ...this.#rest, error }, undefined);
    this.#rest = {};
  }

  async batch(): Promise<void> {
    await this.#sink.flush();
  }
}
