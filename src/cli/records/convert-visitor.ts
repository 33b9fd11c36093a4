// The record visitor of `koine convert`: writes each converted record and stream to the output, and adds its losses to
// the counts (RecordTally) and to the report.
import type { Dialect, WireEvent } from "../../dialects/index.ts";
import { isObject } from "../../model/index.ts";
import type { Loss } from "../../model/index.ts";
import { CliError } from "../exit.ts";
import type { RecordEnvelope } from "../read/record-envelope.ts";
import { createEnvelope } from "../read/record-envelope.ts";
import type { InputFormat } from "../read/detect-format.ts";
import type { ClassifiedRecord } from "../read/classify-record.ts";
import type { RecordSource } from "../read/record-source.ts";
import type { FailureLog } from "../show/failure-log.ts";
import type { RecordFailure, ConversionReport } from "../write/conversion-report.ts";
import type { OutputSink } from "../write/output-sink.ts";
import { ValueWriter } from "../write/value-writer.ts";
import type { StreamEventConsumer } from "./stream-input.ts";
import type { RecordTally } from "./record-tally.ts";
import type { ConvertedRecord, ConversionTarget } from "./convert-record.ts";
import { convertRecord } from "./convert-record.ts";
import { convertAssembledStream, convertStreamEvents } from "./convert-stream.ts";
import type { RecordPosition, RecordVisitor } from "./walk-records.ts";

export interface ConvertVisitorOptions {
  target: ConversionTarget;
  sink: OutputSink;
  report: ConversionReport | undefined;
  tally: RecordTally;
  failures: FailureLog;
  /** The output format. Default: the format of the source if there is only one source, otherwise `jsonl`. */
  format: InputFormat | undefined;
  isSingleSource: boolean;
  pretty: boolean;
  /** True if records are written without their envelope. */
  bodiesOnly: boolean;
  assemble: boolean;
}

export class ConvertVisitor implements RecordVisitor {
  readonly #options: ConvertVisitorOptions;
  #writer: ValueWriter | undefined;
  #format: InputFormat = "jsonl";
  #hasManyRecords = false;

  constructor(options: ConvertVisitorOptions) {
    this.#options = options;
  }

  onSource({ format }: RecordSource): void {
    this.#format = this.#options.format ?? (this.#options.isSingleSource ? format : "jsonl");
    this.#hasManyRecords = format !== "json" || !this.#options.isSingleSource;
    if (this.#writer !== undefined) return;
    const { sink, pretty } = this.#options;
    this.#writer = new ValueWriter(sink, { format: this.#format === "json" ? "json" : "jsonl", pretty });
  }

  /** Begins a JSON list if the output is one JSON document and the input can have several records. */
  #beginList(): void {
    if (this.#options.format === "json" && this.#hasManyRecords) this.#writer?.beginList();
  }

  onList(): void {
    if (this.#options.isSingleSource) this.#writer?.beginList();
  }

  visitRecord(record: ClassifiedRecord, position: RecordPosition): void {
    if (this.#options.format === "sse") {
      throw new CliError("usage", "Only streams can be written as server-sent events; omit --format.");
    }
    const converted = convertRecord(record, this.#options.target);
    this.#beginList();
    this.#writeBody(converted, record.isSingleMessage);
    this.#countLosses(converted.losses, position, createEnvelope(converted));
  }

  #writeBody(converted: ConvertedRecord, isSingleMessage: boolean): void {
    const { wire } = converted;
    // A message that is not in a list is written without a list, unless the target needs several messages for it.
    const body: unknown = isSingleMessage && Array.isArray(wire) && wire.length === 1 ? wire[0] : wire;
    if (this.#options.bodiesOnly) return this.#writer?.write(body);
    this.#writer?.write({ ...createEnvelope(converted), body });
  }

  #countLosses(losses: readonly Loss[], { file, line }: RecordPosition, envelope?: RecordEnvelope): void {
    const { tally, report, bodiesOnly } = this.#options;
    if (losses.length > 0) tally.addLosses(losses, file, line);
    if (bodiesOnly && envelope !== undefined) tally.addEnvelope(envelope);
    if (losses.length > 0 || envelope !== undefined) report?.add({ file, line, ...envelope, losses });
  }

  visitStream(dialect: Dialect, position: RecordPosition): StreamEventConsumer {
    const { target, assemble } = this.#options;
    const createConsumer =
      assemble || !target.to.supports.has("streams") ? convertAssembledStream : convertStreamEvents;
    return createConsumer(dialect, target, {
      event: (event) => this.#writeEvent(event),
      end: (losses, assembled) => {
        if (assembled !== undefined) this.#writeBody(assembled, false);
        this.#countLosses(losses, position, assembled && createEnvelope(assembled));
      },
    });
  }

  #writeEvent(event: WireEvent): void {
    const { target, sink } = this.#options;
    if (this.#format === "sse") return sink.write(target.to.formatEvent(event));
    this.#beginList();
    // `[DONE]` is written only as SSE: it is not JSON, and in JSON and JSONL the end of the output ends the stream.
    if (event.data !== "[DONE]") this.#writer?.write(toEventValue(event));
  }

  onFailure(failure: RecordFailure, position: RecordPosition): void {
    this.#options.failures.add(failure, position);
    this.#options.report?.add({ ...position, losses: [], error: failure });
  }

  async flushBatch(): Promise<void> {
    await this.#options.sink.flush();
    await this.#options.report?.sink.flush();
  }

  end(): void {
    this.#writer?.end();
  }
}

/**
 * Returns only the data of an event if the event has no name or the data repeats the name as `type`; otherwise the
 * event with its name.
 */
function toEventValue(event: WireEvent): unknown {
  const name = isObject(event.data) ? event.data["type"] : undefined;
  return event.event === undefined || event.event === name ? event.data : event;
}
