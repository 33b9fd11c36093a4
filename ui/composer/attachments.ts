// Files that go with a message: read into parts of the model, within limits that are told in words.
import type { MediaPart, Message, Part } from "koine";

export interface Attachment {
  /** Tells it apart from others of its name. */
  key: string;
  name: string;
  /** In bytes. */
  size: number;
  part: MediaPart;
}

/** What somebody has written and not sent yet. */
export interface Draft {
  text: string;
  attachments: readonly Attachment[];
  /** Names of files that were attached and did not outlive a reload. */
  gone?: readonly string[];
}

export const EMPTY_DRAFT: Draft = { text: "", attachments: [] };

/** The server takes bodies of 64 MiB, in which every three bytes are four characters. */
const MOST_BYTES = 20_000_000;
const MOST_TOGETHER = 40_000_000;
export const LIMIT_WORDS = "at most 20 MB a file, 40 MB in all";

/** For a file dialog; anything else that is text may be dropped or pasted. */
export const ACCEPTED = "image/*,audio/*,video/*,application/pdf,text/*,.md,.json,.yaml,.csv,.log";

/** As much of a `File` as is read of it. */
export type FileLike = Pick<Blob, "size" | "type" | "arrayBuffer"> & { name?: string };

export interface ReadFiles {
  attachments: Attachment[];
  /** Why some are not among them, a sentence each. */
  refused: string[];
}

/** Reads files, in their order. `already`: bytes that are attached. */
export async function readFiles(files: readonly FileLike[], already = 0): Promise<ReadFiles> {
  const attachments: Attachment[] = [];
  const refused: string[] = [];
  let sum = already;
  for (const file of files) {
    const name = file.name === undefined || file.name === "" ? "pasted" : file.name;
    const reason = tooLarge(file.size, sum);
    const part = reason === undefined ? await partOf(file, name) : undefined;
    if (part === undefined) {
      refused.push(`“${name}” ${reason ?? "is neither an image, audio, video or PDF nor text."}`);
      continue;
    }
    sum += file.size;
    attachments.push(attachmentOf(part, name, file.size));
  }
  return { attachments, refused };
}

function tooLarge(size: number, sum: number): string | undefined {
  if (size === 0) return "is empty.";
  if (size > MOST_BYTES) return "is larger than 20 MB.";
  return sum + size > MOST_TOGETHER ? "does not fit: 40 MB are the most for one message." : undefined;
}

let count = 0;

function attachmentOf(part: MediaPart, name: string, size: number): Attachment {
  return { key: `${++count}`, name, size, part };
}

async function partOf(file: FileLike, name: string): Promise<MediaPart | undefined> {
  const mimeType = file.type.split(";")[0]?.trim() ?? "";
  const bytes = new Uint8Array(await file.arrayBuffer());
  const [kind] = mimeType.split("/");
  // Models read drawings as the text that they are.
  const isDrawing = mimeType === "image/svg+xml";
  if ((kind === "image" && !isDrawing) || kind === "audio" || kind === "video") {
    return { type: kind, mimeType, name, data: base64Of(bytes) };
  }
  if (mimeType === "application/pdf") return { type: "file", mimeType, name, data: base64Of(bytes) };
  const text = textOfBytes(bytes);
  return text === undefined ? undefined : { type: "file", mimeType: mimeType || "text/plain", name, text };
}

/** undefined where the bytes are no text. Names and declared types say little: every editor has its own. */
function textOfBytes(bytes: Uint8Array): string | undefined {
  try {
    const text = new TextDecoder("utf-8", { fatal: true }).decode(bytes);
    return text.includes("\u0000") ? undefined : text;
  } catch {
    return undefined;
  }
}

/** As many as may be arguments of one call. */
const CHUNK = 0x8000;

function base64Of(bytes: Uint8Array): string {
  let binary = "";
  for (let at = 0; at < bytes.length; at += CHUNK) {
    binary += String.fromCharCode(...bytes.subarray(at, at + CHUNK));
  }
  return btoa(binary);
}

export function bytesOf(attachments: readonly Attachment[]): number {
  return attachments.reduce((sum, { size }) => sum + size, 0);
}

export function isBlank({ text, attachments }: Draft): boolean {
  return text.trim() === "" && attachments.length === 0;
}

/** A draft as the user's message: what it speaks of comes before the words, which are sent as they were typed. */
export function messageOf({ text, attachments }: Draft): Message {
  const parts: Part[] = attachments.map(({ part }) => part);
  if (text.trim() !== "") parts.push({ type: "text", text });
  return { role: "user", parts };
}

/**
 * The same message in words that a task can be told: its wire has no names for pictures and sounds, which no model reads, and no
 * documents but PDF, so that those of text are quoted under their names.
 */
export function messageForTask({ parts, ...message }: Message): Message {
  return { ...message, parts: parts.map(forTask) };
}

function forTask(part: Part): Part {
  if (part.type === "image" || part.type === "audio") {
    const { name: _, ...rest } = part;
    return rest;
  }
  if (part.type !== "file" || part.text === undefined) return part;
  return { type: "text", text: `${part.name ?? "File"}:\n\n${part.text}\n` };
}

/** With more files; those that were gone and are attached again are not missed any more. */
export function withFiles({ gone = [], ...draft }: Draft, added: readonly Attachment[]): Draft {
  const missed = gone.filter((name) => !added.some((each) => each.name === name));
  const attachments = [...draft.attachments, ...added];
  return { ...draft, attachments, ...(missed.length > 0 && { gone: missed }) };
}

/** Messages that were not said, put before what stands in the draft: nothing of either is lost. */
export function withMessages(draft: Draft, messages: readonly Message[]): Draft {
  const parts = messages.flatMap((message) => message.parts);
  const texts = messages.map(({ parts }) =>
    parts.flatMap((part) => (part.type === "text" ? [part.text] : [])).join("\n"),
  );
  return {
    ...draft,
    text: [...texts, draft.text].filter((text) => text.trim() !== "").join("\n\n"),
    attachments: [...parts.flatMap(attached), ...draft.attachments],
  };
}

function attached(part: Part): Attachment[] {
  if (part.type !== "image" && part.type !== "audio" && part.type !== "video" && part.type !== "file") return [];
  const size = part.size ?? part.text?.length ?? Math.floor(((part.data?.length ?? 0) * 3) / 4);
  return [attachmentOf(part, part.name ?? part.type, size)];
}
