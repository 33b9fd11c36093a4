// Converts a JSON document that is a list to records: a list of messages becomes one record (a conversation), and each
// element of any other list becomes a record.
import type { SplitResult } from "./json-splitter.ts";
import type { RawRecord } from "./raw-record.ts";
import { MAX_RECORD_BYTES, TOO_LONG_PROBLEM } from "./raw-record.ts";

export class ListCollector {
  /** The JSON texts of the messages, if the current list is a conversation; undefined if its elements are records. */
  #texts: string[] | undefined;
  #length = 0;
  #line = 0;
  #isFirst = true;
  /** True until the current list has an element or a problem. */
  #isEmpty = true;
  readonly #isMessage: (text: string) => boolean;

  constructor(isMessage: (text: string) => boolean) {
    this.#isMessage = isMessage;
  }

  push(results: readonly SplitResult[]): RawRecord[] {
    const records: RawRecord[] = [];
    for (const result of results) {
      if (result.end === "list") this.#close(result.line, records);
      else if (result.listed === true && result.problem === undefined) this.#add(result, records);
      else {
        records.push(result);
        if (result.listed === true) this.#isEmpty = false;
      }
    }
    return records;
  }

  #add(record: RawRecord, records: RawRecord[]): void {
    if (this.#isFirst && this.#isMessage(record.text)) {
      this.#texts = [];
      this.#line = record.line;
    }
    this.#isFirst = false;
    this.#isEmpty = false;
    if (this.#texts === undefined) records.push(record);
    else {
      this.#length += record.text.length + 1;
      if (this.#length < MAX_RECORD_BYTES) this.#texts.push(record.text);
    }
  }

  /**
   * Called at the end of a list. If the list is a conversation, adds it as one record; an empty list is an empty
   * conversation.
   */
  #close(line: number, records: RawRecord[]): void {
    if (this.#length >= MAX_RECORD_BYTES) records.push({ line: this.#line, text: "", problem: TOO_LONG_PROBLEM });
    else if (this.#texts !== undefined) records.push({ line: this.#line, text: `[${this.#texts.join(",")}]` });
    else if (this.#isEmpty) records.push({ line, text: "[]" });
    this.#texts = undefined;
    this.#length = 0;
    this.#isFirst = true;
    this.#isEmpty = true;
  }
}
