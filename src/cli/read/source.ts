// A source opened: its format told, its bytes cut into pieces, batch by batch, and whether it is one stream of events.
// One step of waiting per chunk of bytes, never per record.
import { SseParser } from "../../sse/index.ts";
import type { Io } from "../io.ts";
import { openBytes } from "./bytes.ts";
import { DocumentSplitter } from "./document.ts";
import type { Format } from "./format.ts";
import { ENOUGH, formatOfName, formatOfText, withoutMark } from "./format.ts";
import { LineSplitter } from "./lines.ts";
import { ListGatherer } from "./lists.ts";
import type { Piece } from "./piece.ts";

export interface SourceOptions {
  format?: Format | undefined;
  /** Whether an element of a list is a message, so that the list is one conversation. */
  isMessage: (text: string) => boolean;
  /** Told of the bytes that have been read. */
  onBytes?: (count: number) => void;
}

export interface Source {
  name: string;
  size?: number;
  format: Format;
  /** The first lines told the format, which may not hold for the rest. */
  isGuessed: boolean;
  batches: AsyncGenerator<Piece[], void, void>;
}

interface Splitter {
  push(chunk: Buffer): Piece[];
  end(): Piece[];
}

export async function openSource(path: string, options: SourceOptions, io: Io): Promise<Source> {
  const { name, size, chunks } = await openBytes(path, io);
  try {
    const known = options.format ?? formatOfName(name);
    const { head, format } = await readHead(chunks, known, name);
    const batches = split(head, chunks, splitterFor(format, options), options.onBytes);
    return { name, ...(size !== undefined && { size }), format, isGuessed: known === undefined, batches };
  } catch (error) {
    await chunks.return();
    throw error;
  }
}

/** Reads until the format is known; the bytes are copied, because a chunk lives only until the next. */
async function readHead(
  chunks: AsyncGenerator<Buffer, void, void>,
  known: Format | undefined,
  name: string,
): Promise<{ head: Buffer; format: Format }> {
  let head: Buffer = Buffer.alloc(0);
  for (;;) {
    const next = await chunks.next();
    const isAll = next.done === true;
    if (next.value !== undefined) head = Buffer.concat([head, next.value]);
    if (!isAll && head.length < 4) continue;
    const text = withoutMark(head, name);
    const format = known ?? formatOfText(text.toString("utf8", 0, ENOUGH), isAll);
    if (format !== undefined) return { head: text, format };
  }
}

function splitterFor(format: Format, { isMessage }: SourceOptions): Splitter {
  if (format === "jsonl") return new LineSplitter();
  if (format === "sse") return new EventSplitter();
  const values = new DocumentSplitter();
  const lists = new ListGatherer(isMessage);
  return {
    push: (chunk) => lists.push(values.push(chunk)),
    end: () => lists.push(values.end()),
  };
}

/** Server-sent events, counted. */
class EventSplitter implements Splitter {
  readonly #parser = new SseParser();
  #count = 0;

  push(chunk: Buffer): Piece[] {
    return this.#pieces(this.#parser.push(chunk));
  }

  end(): Piece[] {
    return this.#pieces(this.#parser.end());
  }

  #pieces(events: ReturnType<SseParser["push"]>): Piece[] {
    return events.map(({ data, event }) => {
      const piece: Piece = { line: ++this.#count, text: data };
      if (event !== undefined) piece.event = event;
      return piece;
    });
  }
}

async function* split(
  head: Buffer,
  rest: AsyncGenerator<Buffer, void, void>,
  splitter: Splitter,
  onBytes: SourceOptions["onBytes"],
): AsyncGenerator<Piece[], void, void> {
  onBytes?.(head.length);
  const first = splitter.push(head);
  if (first.length > 0) yield first;
  for await (const chunk of rest) {
    onBytes?.(chunk.length);
    const pieces = splitter.push(chunk);
    // The reader of the pieces may write or show progress only when it is asked to go on.
    if (pieces.length > 0) yield pieces;
  }
  const last = splitter.end();
  if (last.length > 0) yield last;
}
