// Decompresses request bodies, up to the size limit.
import { pipeline, Readable } from "node:stream";
import type { Transform } from "node:stream";
import zlib from "node:zlib";
import { ServerError } from "../errors.ts";

/** By content encoding: a function that creates the decompressor. `first` is the first byte of the compressed body. */
const DECODERS: Record<string, (first: number) => Transform> = {
  gzip: () => zlib.createGunzip(),
  "x-gzip": () => zlib.createGunzip(),
  // Some clients send raw deflate without a zlib header. The first byte of a zlib header has 8 in its low four bits.
  deflate: (first) => ((first & 0x0f) === 8 ? zlib.createInflate() : zlib.createInflateRaw()),
  br: () => zlib.createBrotliDecompress(),
  zstd: () => zlib.createZstdDecompress(),
};
/** The maximum number of encodings of one body. One encoding is usual; more encodings would only cost CPU time. */
const MAX_ENCODINGS = 2;

type ByteChunks = AsyncIterable<Uint8Array>;

/** Concatenates all chunks. */
export async function collect(chunks: ByteChunks): Promise<Uint8Array> {
  const all: Uint8Array[] = [];
  for await (const chunk of chunks) all.push(chunk);
  return all.length === 1 && all[0] !== undefined ? all[0] : Buffer.concat(all);
}

/**
 * Yields the decompressed body. `encoding` is the `content-encoding` header, which lists the encodings in the order in
 * which they were applied.
 */
export async function* decodeChunks(source: ByteChunks, encoding: string, maxBytes: number): ByteChunks {
  const names = encoding
    .toLowerCase()
    .split(",")
    .map((name) => name.trim())
    .filter((name) => name !== "" && name !== "identity");
  if (names.length > MAX_ENCODINGS || names.some((name) => !Object.hasOwn(DECODERS, name)))
    throw createUnsupportedEncodingError(encoding);
  let chunks = source;
  for (const name of names.reverse()) chunks = decodeOne(chunks, name, maxBytes);
  yield* chunks;
}

async function* decodeOne(source: ByteChunks, name: string, maxBytes: number): ByteChunks {
  const iterator = source[Symbol.asyncIterator]();
  const opening = await iterator.next();
  const decoder = opening.done === true ? undefined : DECODERS[name]?.(opening.value[0] ?? 0);
  if (opening.done === true || decoder === undefined) return;
  async function* withFirstChunk(): ByteChunks {
    yield opening.value;
    yield* { [Symbol.asyncIterator]: () => iterator };
  }
  // The callback ignores errors of the pipeline, because they are also thrown where `decoder` is read.
  pipeline(Readable.from(withFirstChunk(), { objectMode: false }), decoder, () => {});
  let size = 0;
  try {
    // The cast is safe: a stream without a character encoding yields buffers.
    for await (const chunk of decoder as AsyncIterable<Buffer>) {
      size += chunk.length;
      if (size > maxBytes) throw createDecodedTooLargeError(maxBytes);
      yield chunk;
    }
  } catch (error) {
    throw error instanceof ServerError ? error : createWrongEncodingError(name, error);
  }
}

function createDecodedTooLargeError(maxBytes: number): ServerError {
  return new ServerError("too-large", `The body is larger than ${maxBytes} bytes after decoding.`);
}

function createWrongEncodingError(name: string, cause: unknown): ServerError {
  return new ServerError("invalid-request", `The body is not valid ${name}, the content-encoding of the request.`, {
    path: "content-encoding",
    cause,
  });
}

function createUnsupportedEncodingError(encoding: string): ServerError {
  const names = Object.keys(DECODERS).filter((name) => !name.startsWith("x-"));
  const message = `content-encoding "${encoding.slice(0, 80)}" is not supported: use ${names.join(", ")} or plain JSON.`;
  return new ServerError("unsupported-media", message, {
    path: "content-encoding",
    headers: { "accept-encoding": names.join(", ") },
  });
}
