// The visitor of `koine import`: every record becomes a thread, messages on lines of their own one thread together.
// Records are decoded as they come and written a batch at a time, several at once, so that they share commits.
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
import type { FailureLog } from "../show/failures.ts";
import type { Failure } from "../write/report.ts";
import type { Decoded } from "./decoded.ts";
import { decodedStream, decodeRecord, decodeStream } from "./decoded.ts";
import type { LedgerFiles } from "./ledger-file.ts";
import type { EventTaker } from "./streams.ts";
import type { Tally } from "./tally.ts";
import { ThreadWriter } from "./thread-writer.ts";
import type { Place, Visitor } from "./walk.ts";

export interface IntakeOptions {
  ledger: Ledger;
  tally: Tally;
  failures: FailureLog;
  strict: boolean;
  /** Reads exports of a ledger; undefined where the user said that the records are something else. */
  files: LedgerFiles | undefined;
}

/** Threads that are written at the same time. */
const TOGETHER = 32;

/** What is wrong with one record; what is wrong with the ledger itself ends the command. */
const OF_RECORD: ReadonlySet<string> = new Set(["invalid-input", "conflict", "unknown-blob"]);

/** Messages for a thread, and the record that they came from. */
interface Delivery {
  place: Place;
  writer: ThreadWriter;
  messages: Message[];
  /** How many records they are. */
  records: number;
}

export class Intake implements Visitor {
  threads = 0;
  messages = 0;
  readonly #options: IntakeOptions;
  #queue: Delivery[] = [];
  /** The thread of messages that come one by one, and those of them that wait. */
  #open: Delivery | undefined;

  constructor(options: IntakeOptions) {
    this.#options = options;
  }

  source(): void {
    this.#closeOpen();
  }

  async takes(source: RecordSource): Promise<boolean> {
    return (await this.#options.files?.take(source)) === true;
  }

  record(record: ClassifiedRecord, place: Place): void {
    const decoded = decodeRecord(record);
    if (record.isSingleMessage && decoded.kind === "messages") this.#gather(record, decoded.value, place);
    else {
      this.#closeOpen();
      this.#deliver(record.dialect, decoded, place);
    }
  }

  stream(dialect: Dialect, place: Place): EventTaker {
    return decodeStream(dialect, {
      whole: (assembled) => this.#deliver(dialect, decodedStream(assembled), place),
      // Half an answer must not look like a whole one.
      rest: () => undefined,
    });
  }

  #deliver(dialect: Dialect, decoded: Decoded, place: Place): void {
    const { messages, ...beside } = conversationOf(decoded);
    if (messages.length === 0) throw new CliError("record", "There is no message in it.");
    const writer = new ThreadWriter(this.#options.ledger, {
      ...beside,
      source: sourceOf(dialect, decoded.kind, place),
    });
    this.#queue.push({ place, writer, messages, records: 1 });
  }

  #gather({ dialect, kind }: ClassifiedRecord, messages: readonly Message[], place: Place): void {
    const [first] = messages;
    // A root begins another conversation.
    if (isObject(first) && first["parentMessageId"] === null) this.#closeOpen();
    this.#open ??= {
      place,
      writer: new ThreadWriter(this.#options.ledger, { source: sourceOf(dialect, kind, place) }),
      messages: [],
      records: 0,
    };
    this.#open.messages.push(...messages);
    this.#open.records++;
  }

  #closeOpen(): void {
    if (this.#open !== undefined && this.#open.records > 0) this.#queue.push(this.#open);
    this.#open = undefined;
  }

  failure(failure: Failure, place: Place): void {
    this.#options.failures.add(failure, place);
  }

  async batch(): Promise<void> {
    const deliveries = this.#queue;
    this.#queue = [];
    const open = this.#open;
    if (open !== undefined && open.records > 0) {
      deliveries.push({ ...open });
      // What follows goes into the same thread.
      this.#open = { ...open, messages: [], records: 0 };
    }
    for (let at = 0; at < deliveries.length; at += TOGETHER) {
      await Promise.all(deliveries.slice(at, at + TOGETHER).map((delivery) => this.#write(delivery)));
    }
  }

  async #write({ writer, messages, place, records }: Delivery): Promise<void> {
    const isNew = writer.messages === 0;
    try {
      await writer.write(messages);
    } catch (error) {
      if (!(error instanceof LedgerError) || !OF_RECORD.has(error.code)) throw toCliError(error);
      // They were counted as done when they were read.
      this.#options.tally.done -= records;
      this.#options.tally.failed += records;
      this.failure({ code: error.code, path: error.path, message: error.message }, place);
      if (this.#options.strict) throw new CliError("stopped", "Stopped at the first failure, as --strict asks.");
      return;
    }
    if (isNew) this.threads++;
    this.messages += messages.length;
  }

  async end(): Promise<void> {
    this.#closeOpen();
    await this.batch();
  }
}

interface Conversation {
  messages: Message[];
  /** What stands beside the messages. */
  request?: Omit<ModelRequest, "messages">;
  response?: Partial<ModelResponse>;
}

function conversationOf(decoded: Decoded): Conversation {
  switch (decoded.kind) {
    case "request": {
      const { messages, ...request } = decoded.value;
      return { messages, request };
    }
    case "response":
      return answerOf(decoded.value);
    case "messages":
      return { messages: decoded.value };
    case "error":
      throw new CliError("record", "It is an error and no conversation; there is nothing to import.");
  }
}

function answerOf({ message, model, finishReason, usage, ...response }: ModelResponse): Conversation {
  // Copies that take exact digits along.
  const metadata: Metadata = Object.assign(copyObject(message.metadata ?? {}), { finishReason });
  if (model !== "") metadata.model = model;
  if (usage !== undefined) metadata.usage = usage;
  return { messages: [Object.assign(copyObject(message), { metadata })], response };
}

function sourceOf(dialect: Dialect, kind: string, { file, line }: Place): Record<string, unknown> {
  return { file, line, dialect: dialect.id, kind };
}
