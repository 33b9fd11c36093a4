// Declares the wire types of stored messages in schema version 1, which is encoded on request. The type of the current
// version is the model's `StoredMessage`.

/** The roles of schema version 1. */
export const VERSION_1_ROLES = ["user", "assistant", "system", "tool"] as const;

/** A stored message of schema version 1. */
export interface MessageV1 {
  /** A ULID. */
  id: string;
  parentMessageId: string | null;
  role: (typeof VERSION_1_ROLES)[number];
  parts: PartV1[];
  /** The creation time in ISO 8601. */
  createdAt: string;
  metadata: { schemaVersion: 1; [key: string]: unknown };
}

/** A text part of schema version 1. */
export interface TextPartV1 {
  type: "text";
  text: string;
}
/** A reasoning part of schema version 1. */
export interface ReasoningPartV1 {
  type: "reasoning";
  text: string;
}
/** A tool-call part of schema version 1. */
export interface ToolCallPartV1 {
  type: "tool-call";
  toolCallId: string;
  toolName: string;
  input: unknown;
}
/** A tool-result part of schema version 1. */
export interface ToolResultPartV1 {
  type: "tool-result";
  toolCallId: string;
  toolName: string;
  output?: unknown;
  isError: boolean;
}
/** A file part of schema version 1; inline data is a data URL. */
export interface FilePartV1 {
  type: "file";
  mimeType: string;
  /** The URL of the file; a data URL for inline data. */
  url: string;
  name?: string;
}
/** Any part of schema version 1. */
export type PartV1 = TextPartV1 | ReasoningPartV1 | ToolCallPartV1 | ToolResultPartV1 | FilePartV1;
