// Replies that come compressed, though nobody asked for it: some proxies do so, and a caller may ask by a header. What
// `fetch` takes is taken here, too: one that breaks off is given as far as it goes, and its reader sees that it is cut.
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

type Body = AsyncIterable<Uint8Array>;

const LENIENT: ZlibOptions = { flush: constants.Z_SYNC_FLUSH, finishFlush: constants.Z_SYNC_FLUSH };
const LENIENT_BROTLI: BrotliOptions = {
  flush: constants.BROTLI_OPERATION_FLUSH,
  finishFlush: constants.BROTLI_OPERATION_FLUSH,
};

/** By the name of the encoding; the first byte tells the two kinds of "deflate" apart. */
const DECODERS: Readonly<Record<string, (firstByte: number) => Transform>> = {
  gzip: () => createGunzip(LENIENT),
  "x-gzip": () => createGunzip(LENIENT),
  deflate: (firstByte) => ((firstByte & 0x0f) === 0x08 ? createInflate(LENIENT) : createInflateRaw(LENIENT)),
  br: () => createBrotliDecompress(LENIENT_BROTLI),
  zstd: () => createZstdDecompress(),
};

/** The body as it was before it was compressed, however often; an encoding that is not known is left to the reader. */
export function decompress(body: Body, encoding: string | undefined, explain: (error: unknown) => unknown): Body {
  const names = (encoding ?? "").toLowerCase().split(",");
  const trimmed = names.map((name) => name.trim()).filter((name) => name !== "" && name !== "identity");
  if (!trimmed.every((name) => Object.hasOwn(DECODERS, name))) return body;
  // The last one was applied last.
  return trimmed.reduceRight((pieces, name) => plainPieces(pieces, name, explain), body);
}

async function* plainPieces(
  body: Body,
  name: string,
  explain: (error: unknown) => unknown,
): AsyncGenerator<Uint8Array, undefined> {
  const pieces = body[Symbol.asyncIterator]();
  const first = await pieces.next();
  // A body without a byte is no compressed one.
  if (first.done === true) return;
  const decoder = DECODERS[name]?.(first.value[0] ?? 0);
  if (decoder === undefined) return;
  try {
    // Whoever reads hears of every failure; whoever stops reading stops the body, too.
    const source = Readable.from(withFirst(first.value, pieces), { objectMode: false });
    // A decoder gives buffers.
    for await (const piece of pipeline(source, decoder, () => undefined)) yield piece as Buffer;
  } catch (error) {
    throw explain(error);
  }
}

async function* withFirst(first: Uint8Array, rest: AsyncIterator<Uint8Array>): AsyncGenerator<Uint8Array, undefined> {
  try {
    yield first;
    for (let next = await rest.next(); next.done !== true; next = await rest.next()) yield next.value;
  } finally {
    await rest.return?.();
  }
}
