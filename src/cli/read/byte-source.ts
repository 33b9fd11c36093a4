// Reads a file or standard input in chunks. A chunk is valid only until the next chunk is requested: two buffers
// alternate, and the disk fills one buffer while the caller reads the other.
import { constants } from "node:fs";
import { access, open } from "node:fs/promises";
import type { FileHandle } from "node:fs/promises";
import { CliError, createIoError } from "../exit.ts";
import type { CliIo } from "../io.ts";

const CHUNK_SIZE = 1 << 20;

export interface ByteSource {
  /** The name of the source in messages: the path as the user wrote it, or "stdin". */
  name: string;
  /** The size in bytes; undefined for standard input and for pipes. */
  size?: number;
  chunks: AsyncGenerator<Buffer, void, void>;
}

export async function openBytes(path: string, io: CliIo): Promise<ByteSource> {
  if (path === "-") return { name: "stdin", chunks: readStdinChunks(io) };
  let handle: FileHandle | undefined;
  try {
    handle = await open(path, "r");
    const stats = await handle.stat();
    if (stats.isDirectory()) throw new CliError("io", `"${path}" is a folder; name a file.`);
    const source: ByteSource = { name: path, chunks: readFileChunks(handle, path) };
    if (stats.isFile()) source.size = stats.size;
    return source;
  } catch (error) {
    await handle?.close();
    throw error instanceof CliError ? error : createIoError(error, "read", path);
  }
}

/** Throws if the file does not exist or cannot be read. */
export async function assertReadable(path: string): Promise<void> {
  await access(path, constants.R_OK).catch((error: unknown) => {
    throw createIoError(error, "read", path);
  });
}

async function* readFileChunks(handle: FileHandle, name: string): AsyncGenerator<Buffer, void, void> {
  let [current, spare] = [Buffer.allocUnsafeSlow(CHUNK_SIZE), Buffer.allocUnsafeSlow(CHUNK_SIZE)];
  let reading = handle.read(current, 0, CHUNK_SIZE, null);
  try {
    for (;;) {
      const { bytesRead } = await reading;
      if (bytesRead === 0) return;
      const filled = current.subarray(0, bytesRead);
      [current, spare] = [spare, current];
      reading = handle.read(current, 0, CHUNK_SIZE, null);
      // The next iteration awaits the promise and reports its error; this handler prevents an unhandled rejection.
      reading.catch(() => undefined);
      yield filled;
    }
  } catch (error) {
    throw createIoError(error, "read", name);
  } finally {
    await reading.catch(() => undefined);
    await handle.close();
  }
}

async function* readStdinChunks({ stdin, stderr }: CliIo): AsyncGenerator<Buffer, void, void> {
  if (stdin.isTTY === true) stderr.write("Reading from the terminal; end with Ctrl-D.\n");
  try {
    for await (const chunk of stdin) yield Buffer.isBuffer(chunk) ? chunk : Buffer.from(String(chunk));
  } catch (error) {
    throw createIoError(error, "read", "stdin");
  }
}
