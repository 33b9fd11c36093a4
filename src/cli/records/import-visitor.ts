// The record visitor of `koine import`: each record becomes a thread; consecutive single messages become one thread.
// Several threads are written in parallel, so that the store can write them in one transaction.
import type { Dialect } from "../../dialects/index.ts";
import { isObject } from "../../model/index.ts";
import type { Ledger } from "../../ledger/index.ts";
import { LedgerError } from "../../ledger/index.ts";
import type { Message, Metadata, ModelRequest, ModelResponse } from "../../model/index.ts";
import { copyObject } from "../../model/json/index.ts";
import { toCliError } from "../data.ts";
import { CliError } from "../exit.ts";
import type { ClassifiedRecord } from "../read/classify-record.ts";
import type { RecordSource } from "../read/record-source.ts";
import type { FailureLog } from "../show/failure-log.ts";
import type { RecordFailure } from "../write/conversion-report.ts";
import type { DecodedRecord } from "./decode-record.ts";
import { toDecodedRecord, decodeRecord, assembleStream } from "./decode-record.ts";
import type { LedgerFileImporter } from "./import-ledger-files.ts";
import type { StreamEventConsumer } from "./stream-input.ts";
import type { RecordTally } from "./record-tally.ts";
import { ThreadWriter } from "./thread-writer.ts";
import type { RecordPosition, RecordVisitor } from "./walk-records.ts";

export interface ImportVisitorOptions {
  ledger: Ledger;
  tally: RecordTally;
  failures: FailureLog;
  strict: boolean;
  /**
   * The importer of files that `koine export` wrote; undefined if `--from` or `--kind` is set, because then the files
   * are read as records.
   */
  ledgerFiles: LedgerFileImporter | undefined;
}

/** The number of threads that are written in parallel. */
const PARALLEL_THREADS = 32;

/** Ledger error codes that concern one record; all other errors end the command. */
const RECORD_ERROR_CODES: ReadonlySet<string> = new Set(["invalid-input", "conflict", "unknown-blob"]);

/** Messages that are not yet written to their thread. */
interface QueuedThread {
  position: RecordPosition;
  writer: ThreadWriter;
  messages: Message[];
  /** The number of records that contain the messages. */
  records: number;
}

export class ImportVisitor implements RecordVisitor {
  threads = 0;
  messages = 0;
  readonly #options: ImportVisitorOptions;
  #pending: QueuedThread[] = [];
  /** The thread of the consecutive single messages that are being read; undefined after any other record. */
  #openThread: QueuedThread | undefined;

  constructor(options: ImportVisitorOptions) {
    this.#options = options;
  }

  onSource(): void {
    this.#closeOpenThread();
  }

  async readWholeSource(source: RecordSource): Promise<boolean> {
    return (await this.#options.ledgerFiles?.importSource(source)) === true;
  }

  visitRecord(record: ClassifiedRecord, position: RecordPosition): void {
    const decoded = decodeRecord(record);
    if (record.isSingleMessage && decoded.kind === "messages") this.#addToOpenThread(record, decoded.value, position);
    else {
      this.#closeOpenThread();
      this.#addThread(record.dialect, decoded, position);
    }
  }

  visitStream(dialect: Dialect, position: RecordPosition): StreamEventConsumer {
    return assembleStream(dialect, {
      onComplete: (assembled) => this.#addThread(dialect, toDecodedRecord(assembled), position),
      // A partial answer is not imported, because the thread would look complete.
      onInterrupted: () => undefined,
    });
  }

  #addThread(dialect: Dialect, decoded: DecodedRecord, position: RecordPosition): void {
    const { messages, ...envelope } = toConversation(decoded);
    if (messages.length === 0) throw new CliError("record", "The record contains no message.");
    const writer = new ThreadWriter(this.#options.ledger, {
      ...envelope,
      source: describeSource(dialect, decoded.kind, position),
    });
    this.#pending.push({ position, writer, messages, records: 1 });
  }

  #addToOpenThread({ dialect, kind }: ClassifiedRecord, messages: readonly Message[], position: RecordPosition): void {
    const [first] = messages;
    // A message whose parent is null is the root of another conversation.
    if (isObject(first) && first["parentMessageId"] === null) this.#closeOpenThread();
    this.#openThread ??= {
      position,
      writer: new ThreadWriter(this.#options.ledger, { source: describeSource(dialect, kind, position) }),
      messages: [],
      records: 0,
    };
    this.#openThread.messages.push(...messages);
    this.#openThread.records++;
  }

  #closeOpenThread(): void {
    if (this.#openThread !== undefined && this.#openThread.records > 0) this.#pending.push(this.#openThread);
    this.#openThread = undefined;
  }

  onFailure(failure: RecordFailure, position: RecordPosition): void {
    this.#options.failures.add(failure, position);
  }

  async flushBatch(): Promise<void> {
    const pending = this.#pending;
    this.#pending = [];
    const openThread = this.#openThread;
    if (openThread !== undefined && openThread.records > 0) {
      pending.push({ ...openThread });
      // The messages so far are written now. The open thread keeps its writer, so that single messages of the next
      // batch continue the same thread.
      this.#openThread = { ...openThread, messages: [], records: 0 };
    }
    for (let at = 0; at < pending.length; at += PARALLEL_THREADS) {
      await Promise.all(pending.slice(at, at + PARALLEL_THREADS).map((thread) => this.#write(thread)));
    }
  }

  async #write({ writer, messages, position, records }: QueuedThread): Promise<void> {
    const isNew = writer.messages === 0;
    try {
      await writer.write(messages);
    } catch (error) {
      if (!(error instanceof LedgerError) || !RECORD_ERROR_CODES.has(error.code)) throw toCliError(error);
      // The records were counted as done when they were decoded, so the counts are corrected.
      this.#options.tally.done -= records;
      this.#options.tally.failed += records;
      this.onFailure({ code: error.code, path: error.path, message: error.message }, position);
      if (this.#options.strict) throw new CliError("stopped", "Stopped at the first failure because of --strict.");
      return;
    }
    if (isNew) this.threads++;
    this.messages += messages.length;
  }

  async end(): Promise<void> {
    this.#closeOpenThread();
    await this.flushBatch();
  }
}

interface ImportedConversation {
  messages: Message[];
  /** The fields of a request without its messages; stored as thread metadata. */
  request?: Omit<ModelRequest, "messages">;
  /** The fields of a response that are not stored in the message; stored as thread metadata. */
  response?: Partial<ModelResponse>;
}

function toConversation(decoded: DecodedRecord): ImportedConversation {
  switch (decoded.kind) {
    case "request": {
      const { messages, ...request } = decoded.value;
      return { messages, request };
    }
    case "response":
      return toAnswerConversation(decoded.value);
    case "messages":
      return { messages: decoded.value };
    case "error":
      throw new CliError("record", "The record is an error response; only conversations can be imported.");
  }
}

function toAnswerConversation({
  message,
  model,
  finishReason,
  usage,
  ...response
}: ModelResponse): ImportedConversation {
  // Unlike object spread, copyObject preserves the exact digits of numbers.
  const metadata: Metadata = Object.assign(copyObject(message.metadata ?? {}), { finishReason });
  if (model !== "") metadata.model = model;
  if (usage !== undefined) metadata.usage = usage;
  return { messages: [Object.assign(copyObject(message), { metadata })], response };
}

function describeSource(dialect: Dialect, kind: string, { file, line }: RecordPosition): Record<string, unknown> {
  return { file, line, dialect: dialect.id, kind };
}
