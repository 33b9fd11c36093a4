// The record visitor of `koine inspect --json`: writes the canonical value of each record as a line of JSON.
import type { Dialect } from "../../dialects/index.ts";
import type { Loss, Message } from "../../model/index.ts";
import { stringifyJson } from "../../model/index.ts";
import type { RecordKind, ClassifiedRecord } from "../read/classify-record.ts";
import type { RecordFailure } from "../write/conversion-report.ts";
import type { OutputSink } from "../write/output-sink.ts";
import type { DecodedRecord } from "./decode-record.ts";
import { toDecodedRecord, decodeRecord, assembleStream } from "./decode-record.ts";
import type { StreamEventConsumer } from "./stream-input.ts";
import type { RecordTally } from "./record-tally.ts";
import type { ConversionTarget } from "./convert-record.ts";
import { convertRecord, encodeAnswers } from "./convert-record.ts";
import type { RecordPosition, RecordVisitor } from "./walk-records.ts";

/** One line of the output. A failed record has an `error`; an interrupted stream also has its partial `value`. */
interface InspectedRecord extends RecordPosition {
  from?: string;
  /** True if the record matches several dialects and was decoded with the most likely one. */
  guessed?: true;
  kind?: RecordKind;
  value?: DecodedRecord["value"] | Message[];
  losses?: readonly Loss[];
  error?: RecordFailure;
}

export class InspectJsonVisitor implements RecordVisitor {
  readonly #sink: OutputSink;
  readonly #target: ConversionTarget | undefined;
  readonly #tally: RecordTally;
  /** The fields of an interrupted stream, which are written together with its failure; otherwise empty. */
  #interrupted: Omit<InspectedRecord, keyof RecordPosition> = {};

  constructor(sink: OutputSink, target: ConversionTarget | undefined, tally: RecordTally) {
    this.#sink = sink;
    this.#target = target;
    this.#tally = tally;
  }

  visitRecord(record: ClassifiedRecord, position: RecordPosition): void {
    const { dialect, kind, isGuess } = record;
    const { value } = decodeRecord(record);
    const losses = this.#target === undefined ? undefined : convertRecord(record, this.#target).losses;
    this.#writeEntry({ ...position, from: dialect.id, ...(isGuess && { guessed: true }), kind, value }, losses);
  }

  visitStream(dialect: Dialect, position: RecordPosition): StreamEventConsumer {
    const head = { from: dialect.id, kind: "stream" } as const;
    const target = this.#target;
    return assembleStream(dialect, {
      onComplete: (assembled) => {
        const { messages, responses } = assembled;
        const losses = target === undefined ? undefined : encodeAnswers(messages, responses, target).losses;
        this.#writeEntry({ ...position, ...head, value: toDecodedRecord(assembled).value }, losses);
      },
      onInterrupted: (messages) => {
        this.#interrupted = { ...head, value: messages };
      },
    });
  }

  #writeEntry(entry: InspectedRecord, losses: readonly Loss[] | undefined): void {
    if (losses !== undefined) this.#tally.addLosses(losses, entry.file, entry.line);
    this.#sink.write(`${stringifyJson(losses === undefined ? entry : { ...entry, losses })}\n`);
  }

  onFailure(error: RecordFailure, position: RecordPosition): void {
    this.#writeEntry({ ...position, ...this.#interrupted, error }, undefined);
    this.#interrupted = {};
  }

  async flushBatch(): Promise<void> {
    await this.#sink.flush();
  }
}
