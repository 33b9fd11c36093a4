// The visitor of `koine convert`: every record and stream to the target, out to the sink, its losses to tally and report.
import type { Dialect, WireEvent } from "../../dialects/index.ts";
import { isObject } from "../../model/index.ts";
import type { Loss } from "../../model/index.ts";
import { CliError } from "../exit.ts";
import type { RecordEnvelope } from "../read/record-envelope.ts";
import { createEnvelope } from "../read/record-envelope.ts";
import type { InputFormat } from "../read/detect-format.ts";
import type { ClassifiedRecord } from "../read/classify-record.ts";
import type { RecordSource } from "../read/record-source.ts";
import type { FailureLog } from "../show/failures.ts";
import type { Failure, Report } from "../write/report.ts";
import type { Sink } from "../write/sink.ts";
import { ValueWriter } from "../write/values.ts";
import type { EventTaker } from "./streams.ts";
import type { Tally } from "./tally.ts";
import type { Converted, Target } from "./target.ts";
import { convertRecord } from "./target.ts";
import { assembleEvents, transcodeEvents } from "./transcoding.ts";
import type { Place, Visitor } from "./walk.ts";

export interface ConversionOptions {
  target: Target;
  sink: Sink;
  report: Report | undefined;
  tally: Tally;
  failures: FailureLog;
  /** How to write; else as the source is, where there is but one. */
  format: InputFormat | undefined;
  isSingle: boolean;
  pretty: boolean;
  /** Only bodies are written. */
  isApart: boolean;
  assemble: boolean;
}

export class Conversion implements Visitor {
  readonly #options: ConversionOptions;
  #values: ValueWriter | undefined;
  #format: InputFormat = "jsonl";
  #isMany = false;

  constructor(options: ConversionOptions) {
    this.#options = options;
  }

  source({ format }: RecordSource): void {
    this.#format = this.#options.format ?? (this.#options.isSingle ? format : "jsonl");
    this.#isMany = format !== "json" || !this.#options.isSingle;
    if (this.#values !== undefined) return;
    const { sink, pretty } = this.#options;
    this.#values = new ValueWriter(sink, { format: this.#format === "json" ? "json" : "jsonl", pretty });
  }

  /** Where a JSON document is asked for, and the source is none, all records together are a list. */
  #beginList(): void {
    if (this.#options.format === "json" && this.#isMany) this.#values?.begin();
  }

  list(): void {
    if (this.#options.isSingle) this.#values?.begin();
  }

  record(record: ClassifiedRecord, place: Place): void {
    if (this.#options.format === "sse") {
      throw new CliError("usage", "Only streams can be written as server-sent events; leave --format out.");
    }
    const converted = convertRecord(record, this.#options.target);
    this.#beginList();
    this.#write(converted, record.isSingleMessage);
    this.#note(converted.losses, place, createEnvelope(converted));
  }

  #write(converted: Converted, isOne: boolean): void {
    const { wire } = converted;
    // What came as one message goes as one, where it still is.
    const body: unknown = isOne && Array.isArray(wire) && wire.length === 1 ? wire[0] : wire;
    if (this.#options.isApart) return this.#values?.write(body);
    this.#values?.write({ ...createEnvelope(converted), body });
  }

  #note(losses: readonly Loss[], { file, line }: Place, beside?: RecordEnvelope): void {
    const { tally, report, isApart } = this.#options;
    if (losses.length > 0) tally.add(losses, file, line);
    if (isApart && beside !== undefined) tally.addApart(beside);
    if (losses.length > 0 || beside !== undefined) report?.add({ file, line, ...beside, losses });
  }

  stream(dialect: Dialect, place: Place): EventTaker {
    const { target, assemble } = this.#options;
    const begin = assemble || !target.to.supports.has("streams") ? assembleEvents : transcodeEvents;
    return begin(dialect, target, {
      event: (event) => this.#event(event),
      end: (losses, whole) => {
        if (whole !== undefined) this.#write(whole, false);
        this.#note(losses, place, whole && createEnvelope(whole));
      },
    });
  }

  #event(event: WireEvent): void {
    const { target, sink } = this.#options;
    if (this.#format === "sse") return sink.write(target.to.formatEvent(event));
    this.#beginList();
    // Without server-sent events the end of the lines says the same.
    if (event.data !== "[DONE]") this.#values?.write(bare(event));
  }

  failure(failure: Failure, place: Place): void {
    this.#options.failures.add(failure, place);
    this.#options.report?.add({ ...place, losses: [], error: failure });
  }

  async batch(): Promise<void> {
    await this.#options.sink.flush();
    await this.#options.report?.sink.flush();
  }

  end(): void {
    this.#values?.end();
  }
}

/** The data alone, where it says its own name. */
function bare(event: WireEvent): unknown {
  const name = isObject(event.data) ? event.data["type"] : undefined;
  return event.event === undefined || event.event === name ? event.data : event;
}
