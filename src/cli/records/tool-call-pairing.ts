// Checks the pairing of tool calls and tool results across messages that are separate records. Stores only the ids of
// the tool calls and results, so that a long file does not fill the memory.
import { isObject } from "../../model/index.ts";
import type { Issue } from "../../model/index.ts";
import { validateMessages } from "../../model/index.ts";
import type { RecordPosition } from "./walk-records.ts";

/** The codes of issues about the pairing of calls and results, which only a comparison of several messages can find. */
export const PAIRING_ISSUE_CODES: ReadonlySet<string> = new Set([
  "orphan-result",
  "duplicate-call",
  "duplicate-result",
]);

interface ToolMessageOutline {
  metadata: { runId?: unknown };
  parts: unknown[];
}

export class ToolCallPairing {
  #outlines: ToolMessageOutline[] = [];
  #positions: RecordPosition[] = [];
  readonly #onIssue: (issue: Issue, position: RecordPosition) => void;

  constructor(onIssue: (issue: Issue, position: RecordPosition) => void) {
    this.#onIssue = onIssue;
  }

  add(messages: readonly unknown[], position: RecordPosition): void {
    for (const message of messages) {
      if (!isObject(message)) continue;
      // A message whose parent is null is the root of another conversation.
      if (message["parentMessageId"] === null) this.endConversation();
      const outline = outlineMessage(message);
      if (outline === undefined) continue;
      this.#outlines.push(outline);
      this.#positions.push(position);
    }
  }

  /** Reports the pairing issues of the current conversation; the next message starts a new conversation. */
  endConversation(): void {
    const outlines = this.#outlines;
    const positions = this.#positions;
    this.#outlines = [];
    this.#positions = [];
    for (const issue of validateMessages(outlines)) {
      const [, index = "", path = ""] = /^\/(\d+)(.*)$/.exec(issue.path) ?? [];
      const position = positions[Number(index)];
      if (PAIRING_ISSUE_CODES.has(issue.code) && position !== undefined) this.#onIssue({ ...issue, path }, position);
    }
  }
}

/** Returns a message with only its tool calls and results, at their original indexes; undefined if it has none. */
function outlineMessage({ metadata, parts }: Record<string, unknown>): ToolMessageOutline | undefined {
  if (!Array.isArray(parts)) return undefined;
  const outlined = parts.map((part: unknown) => {
    if (!isObject(part) || (part["type"] !== "tool-call" && part["type"] !== "tool-result")) return null;
    const { type, toolCallId, executor } = part;
    return { type, toolCallId, executor };
  });
  if (outlined.every((part) => part === null)) return undefined;
  return { metadata: { runId: isObject(metadata) ? metadata["runId"] : undefined }, parts: outlined };
}
