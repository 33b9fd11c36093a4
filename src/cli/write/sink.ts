// Where text goes: standard output, or a file that appears under its name only when it is whole. What is written is
// collected and goes out in large pieces; `flush` waits until the other side has taken it.
import { rmSync } from "node:fs";
import { chmod, open, realpath, rename, rm, stat } from "node:fs/promises";
import type { FileHandle } from "node:fs/promises";
import { once } from "node:events";
import type { Writable } from "node:stream";
import { createIoError } from "../exit.ts";

const ENOUGH = 1 << 18;

/** Temporary files that have neither been committed nor discarded. */
const unfinished = new Set<string>();

/** Removes what a program that ends now has not finished. */
export function removeUnfinished(): void {
  for (const path of unfinished) rmSync(path, { force: true });
  unfinished.clear();
}

export abstract class Sink {
  #text = "";
  readonly #waiting: (string | Uint8Array)[] = [];
  #sending: Promise<void> = Promise.resolve();

  write(piece: string | Uint8Array): void {
    if (typeof piece === "string") {
      this.#text += piece;
      if (this.#text.length < ENOUGH) return;
    }
    this.#queueText();
    if (typeof piece !== "string") this.#waiting.push(piece);
  }

  #queueText(): void {
    if (this.#text !== "") this.#waiting.push(this.#text);
    this.#text = "";
  }

  /** Hands on what has been collected, and waits for what was handed on before: one batch is under way, never more. */
  async flush(): Promise<void> {
    await this.#sending;
    this.#queueText();
    this.#sending = this.#sendAll(this.#waiting.splice(0));
    // It fails where it is awaited; until then nobody needs to know.
    this.#sending.catch(() => undefined);
  }

  /** Everything that was written has been taken. */
  protected async settle(): Promise<void> {
    await this.flush();
    await this.#sending;
  }

  async #sendAll(pieces: readonly (string | Uint8Array)[]): Promise<void> {
    for (const piece of pieces) await this.send(piece);
  }

  protected abstract send(piece: string | Uint8Array): Promise<void>;
  /** Everything is written: what was made is there from now on. */
  abstract commit(): Promise<void>;
  /** Nothing of it is to stay. */
  abstract discard(): Promise<void>;
}

export class StreamSink extends Sink {
  readonly #stream: Writable;

  constructor(stream: Writable) {
    super();
    this.#stream = stream;
  }

  protected async send(piece: string | Uint8Array): Promise<void> {
    if (!this.#stream.write(piece)) await once(this.#stream, "drain");
  }

  async commit(): Promise<void> {
    await this.settle();
  }

  async discard(): Promise<void> {
    // What has been sent cannot be taken back; the rest is not sent.
  }
}

class FileSink extends Sink {
  readonly #handle: FileHandle;
  readonly #path: string;
  /** Written first, then renamed; the same as `path` for what is no plain file. */
  readonly #temporary: string;
  readonly #mode: number | undefined;

  constructor(handle: FileHandle, path: string, temporary: string, mode: number | undefined) {
    super();
    this.#handle = handle;
    this.#path = path;
    this.#temporary = temporary;
    this.#mode = mode;
  }

  protected async send(piece: string | Uint8Array): Promise<void> {
    try {
      await this.#handle.writeFile(piece);
    } catch (error) {
      throw createIoError(error, "write", this.#path);
    }
  }

  async commit(): Promise<void> {
    await this.settle();
    try {
      await this.#handle.close();
      if (this.#temporary === this.#path) return;
      if (this.#mode !== undefined) await chmod(this.#temporary, this.#mode);
      await rename(this.#temporary, this.#path);
      unfinished.delete(this.#temporary);
    } catch (error) {
      throw createIoError(error, "write", this.#path);
    }
  }

  async discard(): Promise<void> {
    await this.#handle.close().catch(() => undefined);
    if (this.#temporary === this.#path) return;
    await rm(this.#temporary, { force: true });
    unfinished.delete(this.#temporary);
  }
}

/** A sink for a path. A file that is there keeps its mode and, until `commit`, its content; a device is written to as it is. */
export async function openFile(given: string): Promise<Sink> {
  try {
    const path = await realpath(given).catch(() => given);
    const there = await stat(path).catch(() => undefined);
    const isPlain = there === undefined || there.isFile();
    const temporary = isPlain ? `${path}.${process.pid}.tmp` : path;
    const handle = await open(temporary, isPlain ? "wx" : "w");
    if (isPlain) unfinished.add(temporary);
    return new FileSink(handle, path, temporary, there?.isFile() === true ? there.mode & 0o7777 : undefined);
  } catch (error) {
    throw createIoError(error, "write", given);
  }
}
