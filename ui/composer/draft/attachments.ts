// Reads attached files into media parts and checks their size limits. Also defines the draft of a message and converts
// it to a message.
import type { MediaPart, Message, Part } from "koine";

export interface Attachment {
  /** Unique in the page; distinguishes files with the same name. */
  key: string;
  name: string;
  /** Size of the file in bytes. */
  size: number;
  part: MediaPart;
}

/** A message that the user has not sent yet. */
export interface MessageDraft {
  text: string;
  attachments: readonly Attachment[];
  /** Names of files that were attached before a reload of the page; the reload lost their content. */
  lostFileNames?: readonly string[];
}

export const EMPTY_DRAFT: MessageDraft = { text: "", attachments: [] };

/**
 * Maximum size of one file, and of all files. The server accepts bodies of at most 64 MiB, and base64 makes files a
 * third larger; 40 MB stay within that limit.
 */
const MAX_FILE_BYTES = 20_000_000;
const MAX_TOTAL_BYTES = 40_000_000;
export const FILE_LIMITS_TEXT = "at most 20 MB a file, 40 MB in all";

/** Filter of the file dialog. Text files with other extensions can be attached by drag and drop or by pasting. */
export const ACCEPTED = "image/*,audio/*,video/*,application/pdf,text/*,.md,.json,.yaml,.csv,.log";

/** The members of the browser type `File` that `readFiles` uses. */
export type FileLike = Pick<Blob, "size" | "type" | "arrayBuffer"> & { name?: string };

export interface ReadFilesResult {
  attachments: Attachment[];
  /** One sentence for each file that was not accepted, with the reason. */
  rejected: string[];
}

/** Reads files into attachments, in order. `attachedBytes` is the total size of the files that are already attached. */
export async function readFiles(files: readonly FileLike[], attachedBytes = 0): Promise<ReadFilesResult> {
  const attachments: Attachment[] = [];
  const rejected: string[] = [];
  let sum = attachedBytes;
  for (const file of files) {
    const name = file.name === undefined || file.name === "" ? "pasted" : file.name;
    const reason = checkSize(file.size, sum);
    const part = reason === undefined ? await readMediaPart(file, name) : undefined;
    if (part === undefined) {
      rejected.push(`“${name}” ${reason ?? "is neither an image, audio, video or PDF nor text."}`);
      continue;
    }
    sum += file.size;
    attachments.push(createAttachment(part, name, file.size));
  }
  return { attachments, rejected };
}

function checkSize(size: number, sum: number): string | undefined {
  if (size === 0) return "is empty.";
  if (size > MAX_FILE_BYTES) return "is larger than 20 MB.";
  return sum + size > MAX_TOTAL_BYTES ? "does not fit: the files of one message may have 40 MB in total." : undefined;
}

let lastAttachmentKey = 0;

function createAttachment(part: MediaPart, name: string, size: number): Attachment {
  return { key: `${++lastAttachmentKey}`, name, size, part };
}

async function readMediaPart(file: FileLike, name: string): Promise<MediaPart | undefined> {
  const mimeType = file.type.split(";")[0]?.trim() ?? "";
  const bytes = new Uint8Array(await file.arrayBuffer());
  const [kind] = mimeType.split("/");
  // SVG is sent as text, because providers do not accept it as an image.
  const isSvg = mimeType === "image/svg+xml";
  if ((kind === "image" && !isSvg) || kind === "audio" || kind === "video") {
    return { type: kind, mimeType, name, data: toBase64(bytes) };
  }
  if (mimeType === "application/pdf") return { type: "file", mimeType, name, data: toBase64(bytes) };
  const text = decodeText(bytes);
  return text === undefined ? undefined : { type: "file", mimeType: mimeType || "text/plain", name, text };
}

/**
 * Returns the text of a file; undefined if the bytes are not UTF-8 text. The bytes decide, because file names and
 * declared MIME types of text files are unreliable.
 */
function decodeText(bytes: Uint8Array): string | undefined {
  try {
    const text = new TextDecoder("utf-8", { fatal: true }).decode(bytes);
    return text.includes("\u0000") ? undefined : text;
  } catch {
    return undefined;
  }
}

/** Number of bytes per `fromCharCode` call; engines limit the number of arguments of one call. */
const CHUNK = 0x8000;

function toBase64(bytes: Uint8Array): string {
  let binary = "";
  for (let offset = 0; offset < bytes.length; offset += CHUNK) {
    binary += String.fromCharCode(...bytes.subarray(offset, offset + CHUNK));
  }
  return btoa(binary);
}

export function sumBytes(attachments: readonly Attachment[]): number {
  return attachments.reduce((sum, { size }) => sum + size, 0);
}

export function isBlank({ text, attachments }: MessageDraft): boolean {
  return text.trim() === "" && attachments.length === 0;
}

/** Converts a draft to a user message: first the attachments, then the text, which is not trimmed. */
export function toMessage({ text, attachments }: MessageDraft): Message {
  const parts: Part[] = attachments.map(({ part }) => part);
  if (text.trim() !== "") parts.push({ type: "text", text });
  return { role: "user", parts };
}

/**
 * Converts a message for the task routes, which use the Chat Completions format. That format has no names for images
 * and audio and no documents except PDF, so the names are dropped, and text files become text parts under their names.
 */
export function toTaskMessage({ parts, ...message }: Message): Message {
  return { ...message, parts: parts.map(toTaskPart) };
}

function toTaskPart(part: Part): Part {
  if (part.type === "image" || part.type === "audio") {
    const { name: _, ...rest } = part;
    return rest;
  }
  if (part.type !== "file" || part.text === undefined) return part;
  return { type: "text", text: `${part.name ?? "File"}:\n\n${part.text}\n` };
}

/** Adds files to a draft. Files with the same name are removed from the draft's list of lost files. */
export function addFiles({ lostFileNames = [], ...draft }: MessageDraft, added: readonly Attachment[]): MessageDraft {
  const stillLost = lostFileNames.filter((name) => !added.some((each) => each.name === name));
  const attachments = [...draft.attachments, ...added];
  return { ...draft, attachments, ...(stillLost.length > 0 && { lostFileNames: stillLost }) };
}

/** Adds the text and the files of messages that were not sent to a draft, before the draft's own content. */
export function prependMessages(draft: MessageDraft, messages: readonly Message[]): MessageDraft {
  const parts = messages.flatMap((message) => message.parts);
  const texts = messages.map(({ parts }) =>
    parts.flatMap((part) => (part.type === "text" ? [part.text] : [])).join("\n"),
  );
  return {
    ...draft,
    text: [...texts, draft.text].filter((text) => text.trim() !== "").join("\n\n"),
    attachments: [...parts.flatMap(toAttachments), ...draft.attachments],
  };
}

function toAttachments(part: Part): Attachment[] {
  if (part.type !== "image" && part.type !== "audio" && part.type !== "video" && part.type !== "file") return [];
  const size = part.size ?? part.text?.length ?? Math.floor(((part.data?.length ?? 0) * 3) / 4);
  return [createAttachment(part, part.name ?? part.type, size)];
}
