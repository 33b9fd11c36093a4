// Puts blobs back into messages that were read: as they were appended, or as references, or as the next call needs them.
import type { MediaPart, StoredMessage } from "../../model/index.ts";
import { LedgerError } from "../errors.ts";
import type { Scope } from "../scope.ts";
import type { Marker, Place, Step, TakenString } from "./marker.ts";
import { FIELD, isReference, markerOf, misplaced, placeOf } from "./marker.ts";
import { isMedia, mediaOf, namedBlobs } from "./media.ts";
import { textOf } from "./text.ts";
import { readBlob } from "./upload.ts";

/**
 * "inline": exactly what was appended. "reference": media name their blob instead of holding it. "send": as "inline",
 * and media that name a blob of this ledger hold it, because nobody outside of the ledger knows its blobs.
 */
export type BlobMode = "inline" | "reference" | "send";

/**
 * Restores messages that were just read from rows and belong to nobody else: they are changed in place, and returned.
 * A blob that is missing is reported, and its name stands in its place.
 */
export async function restoreBlobs<T extends StoredMessage>(
  scope: Scope,
  messages: T[],
  mode: BlobMode,
  threadId = "",
): Promise<T[]> {
  const restorer = new Restorer(scope, mode);
  for (const message of messages) {
    const marker = markerOf(message);
    if (marker !== undefined) await restorer.putBack(message, marker);
    if (mode === "send" && namedBlobs(message).length > 0) await restorer.inlineNamed(message);
    const fault = restorer.takeFault();
    if (fault !== undefined) scope.report({ threadId, messageId: message.id, reason: fault });
  }
  return messages;
}

class Restorer {
  readonly #scope: Scope;
  readonly #mode: BlobMode;
  /** Texts of this call: a blob that several messages hold is read once. */
  readonly #texts = new Map<string, string | undefined>();
  #faults: string[] = [];

  constructor(scope: Scope, mode: BlobMode) {
    this.#scope = scope;
    this.#mode = mode;
  }

  takeFault(): string | undefined {
    const fault = this.#faults.length === 0 ? undefined : this.#faults.join(" ");
    this.#faults = [];
    return fault;
  }

  async putBack(message: StoredMessage, { strings, own }: Marker): Promise<void> {
    if (own === undefined) Reflect.deleteProperty(message, FIELD);
    else Object.assign(message, { [FIELD]: own });
    for (const taken of strings) {
      const place = placeOf(message, taken.at);
      if (place === undefined) this.#faults.push(misplaced(taken));
      else await this.#putString(place, taken);
    }
  }

  async #putString({ container, step }: Place, taken: TakenString): Promise<void> {
    const isSource = isMedia(container) && (step === "data" || step === "text");
    // A blob that is no base64 holds the letters of the data, not the data.
    if (this.#mode === "reference" && isSource && step === "data" && taken.as === "base64") {
      return nameBlob(container, step, taken);
    }
    const text = await this.#text(taken);
    if (text !== undefined) container[step] = text;
    else if (isSource) nameBlob(container, step, taken);
    else container[step] = taken.blob;
  }

  /** Undefined, and a fault, where it cannot be read. */
  async #text({ blob, as }: Pick<TakenString, "blob" | "as">): Promise<string | undefined> {
    const name = `${as} ${blob}`;
    if (!this.#texts.has(name)) this.#texts.set(name, await this.#read(blob, as));
    else if (this.#texts.get(name) === undefined) this.#faults.push(`The blob ${blob} cannot be read.`);
    return this.#texts.get(name);
  }

  async #read(blob: string, as: TakenString["as"]): Promise<string | undefined> {
    const chunks: Uint8Array[] = [];
    try {
      for await (const bytes of readBlob(this.#scope, blob)) chunks.push(bytes);
    } catch (error) {
      if (!(error instanceof LedgerError) || (error.code !== "unknown-blob" && error.code !== "corrupt")) throw error;
      this.#faults.push(error.message);
      return undefined;
    }
    const [first] = chunks;
    return textOf(chunks.length === 1 && first !== undefined ? first : Buffer.concat(chunks), as);
  }

  async inlineNamed(message: StoredMessage): Promise<void> {
    for (const part of mediaOf(message.parts)) {
      if (!isReference(part.blob)) continue;
      const data = await this.#text({ blob: part.blob, as: "base64" });
      if (data === undefined) continue;
      delete part.blob;
      part.data = data;
    }
  }
}

function nameBlob(part: MediaPart & Record<Step, unknown>, step: Step, { blob, size }: TakenString): void {
  delete part[step];
  part.blob = blob;
  part.size ??= size;
}
