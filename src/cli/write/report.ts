// The report of a whole run, record by record, as it goes on: every loss, every failure, and what stands beside a body.
import type { Loss } from "../../model/index.ts";
import type { RecordEnvelope } from "../read/record-envelope.ts";
import type { Sink } from "./sink.ts";
import { openFile } from "./sink.ts";
import { ValueWriter } from "./values.ts";

/** Why a record failed. */
export interface Failure {
  code: string;
  /** A JSON pointer into the record, where it is known. */
  path?: string;
  message: string;
}

/** What a report says about one record; only records about which there is something to say are in it. */
export interface ReportEntry extends RecordEnvelope {
  file: string;
  line: number;
  losses: readonly Loss[];
  error?: Failure;
}

export class Report {
  readonly sink: Sink;
  readonly #values: ValueWriter;

  private constructor(sink: Sink, isList: boolean) {
    this.sink = sink;
    this.#values = new ValueWriter(sink, { format: isList ? "json" : "jsonl" });
    if (isList) this.#values.begin();
  }

  /** A JSON list where the name ends in `.json`, else a line for each record. */
  static async open(path: string): Promise<Report> {
    return new Report(await openFile(path), path.toLowerCase().endsWith(".json"));
  }

  add(entry: ReportEntry): void {
    this.#values.write(entry);
  }

  async commit(): Promise<void> {
    this.#values.end();
    await this.sink.commit();
  }
}
