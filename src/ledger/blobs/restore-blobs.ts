// Restores the extracted strings of messages that were read from a store: as they were appended, as blob references, or
// as a model call needs them.
import type { MediaPart, StoredMessage } from "../../model/index.ts";
import { LedgerError } from "../errors.ts";
import type { LedgerScope } from "../scope.ts";
import type { BlobMarker, StringPosition, PathStep, ExtractedString } from "./blob-marker.ts";
import { MARKER_FIELD, isBlobReference, readMarker, describeMisplaced, findStringPosition } from "./blob-marker.ts";
import { isMediaPart, listMediaParts, listReferencedBlobs } from "./media-parts.ts";
import { decodeText } from "./text-encoding.ts";
import { readBlob } from "./upload.ts";

/**
 * The form of extracted content in messages that are read. "inline": messages are exactly as appended. "reference":
 * media parts reference their blob instead of containing its data. "send": like "inline", but references to blobs of
 * this ledger are replaced by the data, because providers cannot read the references.
 */
export type BlobMode = "inline" | "reference" | "send";

/**
 * Restores the extracted strings of messages in place and returns the messages. If a blob cannot be read, reports a
 * problem and writes the blob's reference into the message instead.
 */
export async function restoreBlobs<T extends StoredMessage>(
  scope: LedgerScope,
  messages: T[],
  mode: BlobMode,
  threadId = "",
): Promise<T[]> {
  const restorer = new BlobRestorer(scope, mode);
  for (const message of messages) {
    const marker = readMarker(message);
    if (marker !== undefined) await restorer.restoreStrings(message, marker);
    if (mode === "send" && listReferencedBlobs(message).length > 0) await restorer.inlineReferences(message);
    const fault = restorer.takeFault();
    if (fault !== undefined) scope.report({ threadId, messageId: message.id, reason: fault });
  }
  return messages;
}

/** Restores the blobs of several messages. */
class BlobRestorer {
  readonly #scope: LedgerScope;
  readonly #mode: BlobMode;
  /**
   * The texts of the blobs that were read, by encoding and reference, so that a blob that several messages reference is
   * read once. The text is undefined if the blob could not be read.
   */
  readonly #texts = new Map<string, string | undefined>();
  #faults: string[] = [];

  constructor(scope: LedgerScope, mode: BlobMode) {
    this.#scope = scope;
    this.#mode = mode;
  }

  takeFault(): string | undefined {
    const fault = this.#faults.length === 0 ? undefined : this.#faults.join(" ");
    this.#faults = [];
    return fault;
  }

  async restoreStrings(message: StoredMessage, { strings, own }: BlobMarker): Promise<void> {
    if (own === undefined) Reflect.deleteProperty(message, MARKER_FIELD);
    else Object.assign(message, { [MARKER_FIELD]: own });
    for (const extracted of strings) {
      const position = findStringPosition(message, extracted.at);
      if (position === undefined) this.#faults.push(describeMisplaced(extracted));
      else await this.#putString(position, extracted);
    }
  }

  async #putString({ container, step }: StringPosition, extracted: ExtractedString): Promise<void> {
    const isMediaContent = isMediaPart(container) && (step === "data" || step === "text");
    // In a media part, a blob reference stands for the bytes of the media. A blob contains these bytes only if the
    // `data` string was stored decoded from base64. Otherwise it contains the characters of `data`, which are restored.
    if (this.#mode === "reference" && isMediaContent && step === "data" && extracted.as === "base64") {
      return setBlobReference(container, step, extracted);
    }
    const text = await this.#text(extracted);
    if (text !== undefined) container[step] = text;
    else if (isMediaContent) setBlobReference(container, step, extracted);
    else container[step] = extracted.blob;
  }

  /** Returns the text of a blob. If the blob cannot be read, adds a fault and returns undefined. */
  async #text({ blob, as }: Pick<ExtractedString, "blob" | "as">): Promise<string | undefined> {
    const name = `${as} ${blob}`;
    if (!this.#texts.has(name)) this.#texts.set(name, await this.#read(blob, as));
    else if (this.#texts.get(name) === undefined) this.#faults.push(`The blob ${blob} cannot be read.`);
    return this.#texts.get(name);
  }

  async #read(blob: string, as: ExtractedString["as"]): Promise<string | undefined> {
    const chunks: Uint8Array[] = [];
    try {
      for await (const bytes of readBlob(this.#scope, blob)) chunks.push(bytes);
    } catch (error) {
      if (!(error instanceof LedgerError) || (error.code !== "unknown-blob" && error.code !== "corrupt")) throw error;
      this.#faults.push(error.message);
      return undefined;
    }
    const [first] = chunks;
    return decodeText(chunks.length === 1 && first !== undefined ? first : Buffer.concat(chunks), as);
  }

  async inlineReferences(message: StoredMessage): Promise<void> {
    for (const part of listMediaParts(message.parts)) {
      if (!isBlobReference(part.blob)) continue;
      const data = await this.#text({ blob: part.blob, as: "base64" });
      if (data === undefined) continue;
      delete part.blob;
      part.data = data;
    }
  }
}

function setBlobReference(
  part: MediaPart & Record<PathStep, unknown>,
  step: PathStep,
  { blob, size }: ExtractedString,
): void {
  delete part[step];
  part.blob = blob;
  part.size ??= size;
}
