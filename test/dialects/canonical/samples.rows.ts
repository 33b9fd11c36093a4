// Sample stored messages: version 1 with all its parts and fields, and the current version of a message.
import type { MessageV1 } from "../../../src/dialects/canonical/index.ts";
import type { Message, StoredMessage } from "../../../src/model/message.ts";
import type { Part } from "../../../src/model/parts.ts";

export const IDS = ["01ARZ3NDEKTSV4RRFFQ69G5FA0", "01ARZ3NDEKTSV4RRFFQ69G5FA1", "01ARZ3NDEKTSV4RRFFQ69G5FA2"] as const;
export const TIME = "2026-03-01T10:00:00.000Z";

/** A stored message of the current version. */
export function stored(message: Message, id: string = IDS[0], parentMessageId: string | null = null): StoredMessage {
  return { ...message, id, parentMessageId, createdAt: TIME, metadata: { ...message.metadata, schemaVersion: 2 } };
}

/** Version 1 with every part and field. */
export const VERSION_1: MessageV1[] = [
  {
    id: IDS[0],
    parentMessageId: null,
    role: "user",
    parts: [
      { type: "text", text: "What is in these?" },
      { type: "file", mimeType: "image/png", url: "data:image/png;base64,iVBORw0KGgo=", name: "harbour.png" },
      { type: "file", mimeType: "application/pdf", url: "https://example.com/harbour.pdf" },
      { type: "file", mimeType: "image/png", url: "data:image/webp;base64,AAAA" },
      { type: "file", mimeType: "text/plain", url: "data:text/plain,plain" },
    ],
    createdAt: TIME,
    metadata: { schemaVersion: 1 },
  },
  {
    id: IDS[1],
    parentMessageId: IDS[0],
    role: "assistant",
    parts: [
      { type: "reasoning", text: "I should look." },
      { type: "tool-call", toolCallId: "c", toolName: "look", input: { city: "Corinth", deep: [null, 1.5] } },
      { type: "tool-call", toolCallId: "d", toolName: "look", input: null },
    ],
    createdAt: TIME,
    metadata: { schemaVersion: 1, layer: { stream: "s", list: [1, null] } },
  },
  {
    id: IDS[2],
    parentMessageId: IDS[1],
    role: "tool",
    parts: [
      { type: "tool-result", toolCallId: "c", toolName: "look", output: { ships: 2 }, isError: false },
      { type: "tool-result", toolCallId: "d", toolName: "look", output: "", isError: true },
      { type: "tool-result", toolCallId: "e", toolName: "", isError: true },
    ],
    createdAt: TIME,
    metadata: { schemaVersion: 1 },
  },
  {
    id: "01ARZ3NDEKTSV4RRFFQ69G5FA3",
    parentMessageId: null,
    role: "system",
    parts: [],
    createdAt: TIME,
    metadata: { schemaVersion: 1 },
  },
];

/** A part of an unknown type. */
export const HOLOGRAM = { type: "hologram", beam: { angle: 3 } } as unknown as Part;
