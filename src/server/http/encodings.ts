// Request bodies that were compressed on their way: undone, and never to more than the limit.
import { pipeline, Readable } from "node:stream";
import type { Transform } from "node:stream";
import zlib from "node:zlib";
import { ServerError } from "../errors.ts";

/** What undoes an encoding, given the first byte of what was encoded. */
const DECODERS: Record<string, (first: number) => Transform> = {
  gzip: () => zlib.createGunzip(),
  "x-gzip": () => zlib.createGunzip(),
  // Some say "deflate" and mean the stream without zlib's frame, which begins with an 8 in its low bits.
  deflate: (first) => ((first & 0x0f) === 8 ? zlib.createInflate() : zlib.createInflateRaw()),
  br: () => zlib.createBrotliDecompress(),
  zstd: () => zlib.createZstdDecompress(),
};
/** One is usual; more would only be a way to make the server work. */
const MOST_ENCODINGS = 2;

type Bytes = AsyncIterable<Uint8Array>;

/** All of it. */
export async function collect(chunks: Bytes): Promise<Uint8Array> {
  const all: Uint8Array[] = [];
  for await (const chunk of chunks) all.push(chunk);
  return all.length === 1 && all[0] !== undefined ? all[0] : Buffer.concat(all);
}

/** What a body came as. `encoding`: the header, which lists encodings in the order in which they were applied. */
export async function* decodeChunks(source: Bytes, encoding: string, most: number): Bytes {
  const names = encoding
    .toLowerCase()
    .split(",")
    .map((name) => name.trim())
    .filter((name) => name !== "" && name !== "identity");
  if (names.length > MOST_ENCODINGS || names.some((name) => !Object.hasOwn(DECODERS, name))) throw unreadable(encoding);
  let chunks = source;
  for (const name of names.reverse()) chunks = undo(chunks, name, most);
  yield* chunks;
}

async function* undo(source: Bytes, name: string, most: number): Bytes {
  const iterator = source[Symbol.asyncIterator]();
  const opening = await iterator.next();
  const decoder = opening.done === true ? undefined : DECODERS[name]?.(opening.value[0] ?? 0);
  if (opening.done === true || decoder === undefined) return;
  async function* again(): Bytes {
    yield opening.value;
    yield* { [Symbol.asyncIterator]: () => iterator };
  }
  // What goes wrong on the way is thrown where the last stream is read.
  pipeline(Readable.from(again(), { objectMode: false }), decoder, () => {});
  let size = 0;
  try {
    // A stream without an encoding gives bytes.
    for await (const chunk of decoder as AsyncIterable<Buffer>) {
      size += chunk.length;
      if (size > most) throw tooLarge(most);
      yield chunk;
    }
  } catch (error) {
    throw error instanceof ServerError ? error : wrongEncoding(name, error);
  }
}

function tooLarge(most: number): ServerError {
  return new ServerError("too-large", `The body is larger than ${most} bytes once it is decoded.`);
}

function wrongEncoding(name: string, cause: unknown): ServerError {
  return new ServerError("invalid-request", `The body is no ${name}, though content-encoding says so.`, {
    path: "content-encoding",
    cause,
  });
}

function unreadable(encoding: string): ServerError {
  const names = Object.keys(DECODERS).filter((name) => !name.startsWith("x-"));
  const message = `content-encoding "${encoding.slice(0, 80)}" is not read here; send ${names.join(", ")} or plain JSON.`;
  return new ServerError("unsupported-media", message, {
    path: "content-encoding",
    headers: { "accept-encoding": names.join(", ") },
  });
}
