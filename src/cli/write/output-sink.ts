// Writes output to standard output, or to a file that gets its final name only when it is complete. Texts are collected
// into large chunks; `flush` sends the chunks and waits if the output is slower than the caller.
import { rmSync } from "node:fs";
import { chmod, open, realpath, rename, rm, stat } from "node:fs/promises";
import type { FileHandle } from "node:fs/promises";
import { once } from "node:events";
import type { Writable } from "node:stream";
import { createIoError } from "../exit.ts";

const MIN_CHUNK_LENGTH = 1 << 18;

/** The paths of temporary files that have been neither committed nor discarded. */
const unfinishedFiles = new Set<string>();

/** Removes the temporary files of unfinished output; called before the program exits early. */
export function removeUnfinishedFiles(): void {
  for (const path of unfinishedFiles) rmSync(path, { force: true });
  unfinishedFiles.clear();
}

export abstract class OutputSink {
  #text = "";
  readonly #queued: (string | Uint8Array)[] = [];
  #sending: Promise<void> = Promise.resolve();

  write(chunk: string | Uint8Array): void {
    if (typeof chunk === "string") {
      this.#text += chunk;
      if (this.#text.length < MIN_CHUNK_LENGTH) return;
    }
    this.#queueText();
    if (typeof chunk !== "string") this.#queued.push(chunk);
  }

  #queueText(): void {
    if (this.#text !== "") this.#queued.push(this.#text);
    this.#text = "";
  }

  /**
   * Waits until the chunks of the previous flush are sent, then starts to send the collected chunks and does not wait
   * for them.
   */
  async flush(): Promise<void> {
    await this.#sending;
    this.#queueText();
    this.#sending = this.#sendAll(this.#queued.splice(0));
    // The next flush awaits this promise and throws its error; this handler prevents an unhandled rejection until then.
    this.#sending.catch(() => undefined);
  }

  /** Sends all collected chunks and waits until they are sent. */
  protected async flushAll(): Promise<void> {
    await this.flush();
    await this.#sending;
  }

  async #sendAll(chunks: readonly (string | Uint8Array)[]): Promise<void> {
    for (const chunk of chunks) await this.send(chunk);
  }

  protected abstract send(chunk: string | Uint8Array): Promise<void>;
  /** Finishes the output; a file gets its final name. */
  abstract commit(): Promise<void>;
  /** Removes the unfinished output file; chunks that were already sent to a stream or device cannot be removed. */
  abstract discard(): Promise<void>;
}

export class StreamSink extends OutputSink {
  readonly #stream: Writable;

  constructor(stream: Writable) {
    super();
    this.#stream = stream;
  }

  protected async send(chunk: string | Uint8Array): Promise<void> {
    if (!this.#stream.write(chunk)) await once(this.#stream, "drain");
  }

  async commit(): Promise<void> {
    await this.flushAll();
  }

  async discard(): Promise<void> {
    // Nothing to do: sent chunks cannot be removed, and the collected chunks are not sent.
  }
}

class FileSink extends OutputSink {
  readonly #handle: FileHandle;
  readonly #path: string;
  /** The file that is written, and renamed to `#path` at `commit`; equal to `#path` for a device. */
  readonly #temporaryPath: string;
  /** The mode (permissions) of the existing file that is replaced; undefined for a new file. */
  readonly #mode: number | undefined;

  constructor(handle: FileHandle, path: string, temporaryPath: string, mode: number | undefined) {
    super();
    this.#handle = handle;
    this.#path = path;
    this.#temporaryPath = temporaryPath;
    this.#mode = mode;
  }

  protected async send(chunk: string | Uint8Array): Promise<void> {
    try {
      await this.#handle.writeFile(chunk);
    } catch (error) {
      throw createIoError(error, "write", this.#path);
    }
  }

  async commit(): Promise<void> {
    await this.flushAll();
    try {
      await this.#handle.close();
      if (this.#temporaryPath === this.#path) return;
      if (this.#mode !== undefined) await chmod(this.#temporaryPath, this.#mode);
      await rename(this.#temporaryPath, this.#path);
      unfinishedFiles.delete(this.#temporaryPath);
    } catch (error) {
      throw createIoError(error, "write", this.#path);
    }
  }

  async discard(): Promise<void> {
    await this.#handle.close().catch(() => undefined);
    if (this.#temporaryPath === this.#path) return;
    await rm(this.#temporaryPath, { force: true });
    unfinishedFiles.delete(this.#temporaryPath);
  }
}

/**
 * Opens a sink for a path. An existing file keeps its mode and, until `commit`, its content. A device is written
 * directly.
 */
export async function openFileSink(outputPath: string): Promise<OutputSink> {
  try {
    const path = await realpath(outputPath).catch(() => outputPath);
    const stats = await stat(path).catch(() => undefined);
    const isRegularFile = stats === undefined || stats.isFile();
    const temporaryPath = isRegularFile ? `${path}.${process.pid}.tmp` : path;
    const handle = await open(temporaryPath, isRegularFile ? "wx" : "w");
    if (isRegularFile) unfinishedFiles.add(temporaryPath);
    return new FileSink(handle, path, temporaryPath, stats?.isFile() === true ? stats.mode & 0o7777 : undefined);
  } catch (error) {
    throw createIoError(error, "write", outputPath);
  }
}
