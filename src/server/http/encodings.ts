// Request bodies that were compressed on their way: undone, and never to more than the limit.
import { promisify } from "node:util";
import zlib from "node:zlib";
import { ServerError } from "../errors.ts";

type Decode = (bytes: Uint8Array, most: number) => Promise<Buffer>;

const gunzip = promisify<Uint8Array, zlib.ZlibOptions, Buffer>(zlib.gunzip);
const inflate = promisify<Uint8Array, zlib.ZlibOptions, Buffer>(zlib.inflate);
const inflateRaw = promisify<Uint8Array, zlib.ZlibOptions, Buffer>(zlib.inflateRaw);
const brotli = promisify<Uint8Array, zlib.BrotliOptions, Buffer>(zlib.brotliDecompress);
const zstd = promisify<Uint8Array, zlib.ZstdOptions, Buffer>(zlib.zstdDecompress);

const DECODERS: Record<string, Decode> = {
  gzip: (bytes, most) => gunzip(bytes, { maxOutputLength: most }),
  "x-gzip": (bytes, most) => gunzip(bytes, { maxOutputLength: most }),
  // Some say "deflate" and mean the stream without zlib's frame, which begins with an 8 in its low bits.
  deflate: (bytes, most) =>
    ((bytes[0] ?? 0) & 0x0f) === 8
      ? inflate(bytes, { maxOutputLength: most })
      : inflateRaw(bytes, { maxOutputLength: most }),
  br: (bytes, most) => brotli(bytes, { maxOutputLength: most }),
  zstd: (bytes, most) => zstd(bytes, { maxOutputLength: most }),
};
/** One is usual; more would only be a way to make the server work. */
const MOST_ENCODINGS = 2;

/** `encoding`: the header, which lists encodings in the order in which they were applied. */
export async function decodeBytes(bytes: Uint8Array, encoding: string, most: number): Promise<Uint8Array> {
  const names = encoding
    .toLowerCase()
    .split(",")
    .map((name) => name.trim())
    .filter((name) => name !== "" && name !== "identity");
  if (names.length > MOST_ENCODINGS) throw unreadable(encoding);
  let decoded = bytes;
  for (const name of names.reverse()) {
    const decode = Object.hasOwn(DECODERS, name) ? DECODERS[name] : undefined;
    if (decode === undefined) throw unreadable(encoding);
    decoded = await decode(decoded, most).catch((cause: unknown) => {
      throw faultOf(cause, name, most);
    });
  }
  return decoded;
}

function faultOf(cause: unknown, name: string, most: number): ServerError {
  if (cause instanceof Error && "code" in cause && cause.code === "ERR_BUFFER_TOO_LARGE") {
    return new ServerError("too-large", `The body is larger than ${most} bytes once it is decoded.`, { cause });
  }
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
