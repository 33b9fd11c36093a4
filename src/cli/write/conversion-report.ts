// Writes the `--report` file: the losses, the failure and the envelope of each record, while the conversion runs.
import type { Loss } from "../../model/index.ts";
import type { RecordEnvelope } from "../read/record-envelope.ts";
import type { OutputSink } from "./output-sink.ts";
import { openFileSink } from "./output-sink.ts";
import { ValueWriter } from "./value-writer.ts";

/** The reason why a record failed. */
export interface RecordFailure {
  code: string;
  /** The position of the failure, as a JSON pointer into the record; undefined if it is not known. */
  path?: string;
  message: string;
}

/** The report entry of one record. A record without losses, failure and envelope has no entry. */
export interface ConversionReportEntry extends RecordEnvelope {
  file: string;
  line: number;
  losses: readonly Loss[];
  error?: RecordFailure;
}

export class ConversionReport {
  readonly sink: OutputSink;
  readonly #writer: ValueWriter;

  private constructor(sink: OutputSink, isList: boolean) {
    this.sink = sink;
    this.#writer = new ValueWriter(sink, { format: isList ? "json" : "jsonl" });
    if (isList) this.#writer.beginList();
  }

  /** Opens a report: a JSON list if the path ends in `.json`, otherwise one line per record. */
  static async open(path: string): Promise<ConversionReport> {
    return new ConversionReport(await openFileSink(path), path.toLowerCase().endsWith(".json"));
  }

  add(entry: ConversionReportEntry): void {
    this.#writer.write(entry);
  }

  async commit(): Promise<void> {
    this.#writer.end();
    await this.sink.commit();
  }
}
