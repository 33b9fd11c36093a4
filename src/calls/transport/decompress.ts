// Decompresses replies, because some proxies compress without a request for it, and callers can request compression
// with a header. Supports the encodings of `fetch`. A body that breaks off is returned up to that point; its reader
// detects the truncation.
import { pipeline, Readable, type Transform } from "node:stream";
import type { BrotliOptions, ZlibOptions } from "node:zlib";
import {
  constants,
  createBrotliDecompress,
  createGunzip,
  createInflate,
  createInflateRaw,
  createZstdDecompress,
} from "node:zlib";

type BodyChunks = AsyncIterable<Uint8Array>;

const LENIENT: ZlibOptions = { flush: constants.Z_SYNC_FLUSH, finishFlush: constants.Z_SYNC_FLUSH };
const LENIENT_BROTLI: BrotliOptions = {
  flush: constants.BROTLI_OPERATION_FLUSH,
  finishFlush: constants.BROTLI_OPERATION_FLUSH,
};

/**
 * Decoders by encoding name. The first byte of the body distinguishes zlib data from raw data, which servers both call
 * "deflate".
 */
const DECODERS: Readonly<Record<string, (firstByte: number) => Transform>> = {
  gzip: () => createGunzip(LENIENT),
  "x-gzip": () => createGunzip(LENIENT),
  deflate: (firstByte) => ((firstByte & 0x0f) === 0x08 ? createInflate(LENIENT) : createInflateRaw(LENIENT)),
  br: () => createBrotliDecompress(LENIENT_BROTLI),
  zstd: () => createZstdDecompress(),
};

/**
 * Removes all content encodings of a body. Returns the body unchanged if one of its encodings is unknown. `explain`
 * converts the errors of the decoders.
 */
export function decompress(
  body: BodyChunks,
  encoding: string | undefined,
  explain: (error: unknown) => unknown,
): BodyChunks {
  const names = (encoding ?? "").toLowerCase().split(",");
  const trimmed = names.map((name) => name.trim()).filter((name) => name !== "" && name !== "identity");
  if (!trimmed.every((name) => Object.hasOwn(DECODERS, name))) return body;
  // The header lists the encodings in the order in which they were applied, so they are decoded from last to first.
  return trimmed.reduceRight((chunks, name) => decodeChunks(chunks, name, explain), body);
}

async function* decodeChunks(
  body: BodyChunks,
  name: string,
  explain: (error: unknown) => unknown,
): AsyncGenerator<Uint8Array, undefined> {
  const chunks = body[Symbol.asyncIterator]();
  const first = await chunks.next();
  // An empty body is accepted, although it is not valid compressed data.
  if (first.done === true) return;
  const decoder = DECODERS[name]?.(first.value[0] ?? 0);
  if (decoder === undefined) return;
  try {
    // `pipeline` reports every failure to the reader and closes the body if the reader stops.
    const source = Readable.from(prependChunk(first.value, chunks), { objectMode: false });
    // The cast is safe, because decoders yield buffers.
    for await (const chunk of pipeline(source, decoder, () => undefined)) yield chunk as Buffer;
  } catch (error) {
    throw explain(error);
  }
}

async function* prependChunk(
  first: Uint8Array,
  rest: AsyncIterator<Uint8Array>,
): AsyncGenerator<Uint8Array, undefined> {
  try {
    yield first;
    for (let next = await rest.next(); next.done !== true; next = await rest.next()) yield next.value;
  } finally {
    await rest.return?.();
  }
}
