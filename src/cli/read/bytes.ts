// Where bytes come from: a file or standard input, in pieces. A piece is valid until the next one is asked for: two
// buffers take turns, so that the disk fills one while the other is read.
import { constants } from "node:fs";
import { access, open } from "node:fs/promises";
import type { FileHandle } from "node:fs/promises";
import { CliError, ioError } from "../exit.ts";
import type { Io } from "../io.ts";

const CHUNK = 1 << 20;

export interface ByteSource {
  /** For people: the path as it was given, or "stdin". */
  name: string;
  /** In bytes, where it is known. */
  size?: number;
  chunks: AsyncGenerator<Buffer, void, void>;
}

export async function openBytes(path: string, io: Io): Promise<ByteSource> {
  if (path === "-") return { name: "stdin", chunks: stdinChunks(io) };
  let handle: FileHandle | undefined;
  try {
    handle = await open(path, "r");
    const stats = await handle.stat();
    if (stats.isDirectory()) throw new CliError("io", `"${path}" is a folder; name a file.`);
    const source: ByteSource = { name: path, chunks: fileChunks(handle, path) };
    if (stats.isFile()) source.size = stats.size;
    return source;
  } catch (error) {
    await handle?.close();
    throw error instanceof CliError ? error : ioError(error, "read", path);
  }
}

/** Throws where there is no such file, or none that may be read. */
export async function checkFile(path: string): Promise<void> {
  await access(path, constants.R_OK).catch((error: unknown) => {
    throw ioError(error, "read", path);
  });
}

async function* fileChunks(handle: FileHandle, name: string): AsyncGenerator<Buffer, void, void> {
  let [current, spare] = [Buffer.allocUnsafeSlow(CHUNK), Buffer.allocUnsafeSlow(CHUNK)];
  let reading = handle.read(current, 0, CHUNK, null);
  try {
    for (;;) {
      const { bytesRead } = await reading;
      if (bytesRead === 0) return;
      const filled = current.subarray(0, bytesRead);
      [current, spare] = [spare, current];
      reading = handle.read(current, 0, CHUNK, null);
      // It fails where it is awaited; until then nobody needs to know.
      reading.catch(() => undefined);
      yield filled;
    }
  } catch (error) {
    throw ioError(error, "read", name);
  } finally {
    await reading.catch(() => undefined);
    await handle.close();
  }
}

async function* stdinChunks({ stdin, stderr }: Io): AsyncGenerator<Buffer, void, void> {
  if (stdin.isTTY === true) stderr.write("Reading from the terminal; end with Ctrl-D.\n");
  try {
    for await (const chunk of stdin) yield Buffer.isBuffer(chunk) ? chunk : Buffer.from(String(chunk));
  } catch (error) {
    throw ioError(error, "read", "stdin");
  }
}
