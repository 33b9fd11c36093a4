// Opens an input, detects its format and splits its bytes into raw records. Awaits once per chunk of bytes and not per
// record, because an await per record would be slow.
import { SseParser } from "../../sse/index.ts";
import type { CliIo } from "../io.ts";
import { openBytes } from "./byte-source.ts";
import { JsonSplitter } from "./json-splitter.ts";
import type { InputFormat } from "./detect-format.ts";
import { MAX_HEAD_LENGTH, detectFormatByName, detectFormatByText, stripByteOrderMark } from "./detect-format.ts";
import { LineSplitter } from "./line-splitter.ts";
import { ListCollector } from "./list-collector.ts";
import type { RawRecord } from "./raw-record.ts";

export interface RecordSourceOptions {
  format?: InputFormat | undefined;
  /** Returns true if the first element of a list is a message; the whole list is then one record. */
  isMessage: (text: string) => boolean;
  /** Receives the number of bytes of each chunk. */
  onBytes?: (count: number) => void;
}

export interface RecordSource {
  name: string;
  size?: number;
  format: InputFormat;
  /** True if the format was detected from the first lines. Later lines may then have another format. */
  isGuessed: boolean;
  batches: AsyncGenerator<RawRecord[], void, void>;
}

interface RecordSplitter {
  push(chunk: Buffer): RawRecord[];
  end(): RawRecord[];
}

export async function openSource(path: string, options: RecordSourceOptions, io: CliIo): Promise<RecordSource> {
  const { name, size, chunks } = await openBytes(path, io);
  try {
    const known = options.format ?? detectFormatByName(name);
    const { head, format } = await readHead(chunks, known, name);
    const batches = splitChunks(head, chunks, createSplitter(format, options), options.onBytes);
    return { name, ...(size !== undefined && { size }), format, isGuessed: known === undefined, batches };
  } catch (error) {
    await chunks.return();
    throw error;
  }
}

/** Reads chunks until the format is known. Copies them, because a chunk is valid only until the next one is read. */
async function readHead(
  chunks: AsyncGenerator<Buffer, void, void>,
  known: InputFormat | undefined,
  name: string,
): Promise<{ head: Buffer; format: InputFormat }> {
  let head: Buffer = Buffer.alloc(0);
  for (;;) {
    const next = await chunks.next();
    const isAll = next.done === true;
    if (next.value !== undefined) head = Buffer.concat([head, next.value]);
    if (!isAll && head.length < 4) continue;
    const text = stripByteOrderMark(head, name);
    const format = known ?? detectFormatByText(text.toString("utf8", 0, MAX_HEAD_LENGTH), isAll);
    if (format !== undefined) return { head: text, format };
  }
}

function createSplitter(format: InputFormat, { isMessage }: RecordSourceOptions): RecordSplitter {
  if (format === "jsonl") return new LineSplitter();
  if (format === "sse") return new EventSplitter();
  const values = new JsonSplitter();
  const lists = new ListCollector(isMessage);
  return {
    push: (chunk) => lists.push(values.push(chunk)),
    end: () => lists.push(values.end()),
  };
}

/** Splits bytes into server-sent events and numbers the events. */
class EventSplitter implements RecordSplitter {
  readonly #parser = new SseParser();
  #count = 0;

  push(chunk: Buffer): RawRecord[] {
    return this.#toRawRecords(this.#parser.push(chunk));
  }

  end(): RawRecord[] {
    return this.#toRawRecords(this.#parser.end());
  }

  #toRawRecords(events: ReturnType<SseParser["push"]>): RawRecord[] {
    return events.map(({ data, event }) => {
      const rawRecord: RawRecord = { line: ++this.#count, text: data };
      if (event !== undefined) rawRecord.event = event;
      return rawRecord;
    });
  }
}

async function* splitChunks(
  head: Buffer,
  rest: AsyncGenerator<Buffer, void, void>,
  splitter: RecordSplitter,
  onBytes: RecordSourceOptions["onBytes"],
): AsyncGenerator<RawRecord[], void, void> {
  onBytes?.(head.length);
  const first = splitter.push(head);
  if (first.length > 0) yield first;
  for await (const chunk of rest) {
    onBytes?.(chunk.length);
    const records = splitter.push(chunk);
    // An empty batch is not yielded, because the caller flushes output and progress after each batch.
    if (records.length > 0) yield records;
  }
  const last = splitter.end();
  if (last.length > 0) yield last;
}
