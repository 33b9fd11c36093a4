// Replies that come compressed, though nobody asked for it: some proxies do so, and a caller may ask by a header.
import { pipeline, Readable, type Transform } from "node:stream";
import { createBrotliDecompress, createGunzip, createInflate, createZstdDecompress } from "node:zlib";

const DECODERS: Readonly<Record<string, () => Transform>> = {
  gzip: () => createGunzip(),
  "x-gzip": () => createGunzip(),
  deflate: () => createInflate(),
  br: () => createBrotliDecompress(),
  zstd: () => createZstdDecompress(),
};

/** The body as it was before it was compressed; an encoding that is not known is left to the reader. */
export function decompress(
  body: AsyncIterable<Uint8Array>,
  encoding: string | undefined,
  explain: (error: unknown) => unknown,
): AsyncIterable<Uint8Array> {
  const name = encoding?.trim().toLowerCase() ?? "";
  const decoder = Object.hasOwn(DECODERS, name) ? DECODERS[name] : undefined;
  return decoder === undefined ? body : plainPieces(body, decoder(), explain);
}

async function* plainPieces(
  body: AsyncIterable<Uint8Array>,
  decoder: Transform,
  explain: (error: unknown) => unknown,
): AsyncGenerator<Uint8Array, undefined> {
  try {
    // Whoever reads hears of every failure; whoever stops reading stops the body, too.
    const pieces = pipeline(Readable.from(body, { objectMode: false }), decoder, () => undefined);
    // A decoder gives buffers.
    for await (const piece of pieces) yield piece as Buffer;
  } catch (error) {
    throw explain(error);
  }
}
