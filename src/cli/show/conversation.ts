// Shows the messages of a conversation on a page, with each tool result below its call.
import type { Message, Role, ToolCallPart, ToolResultPart } from "../../model/index.ts";
import type { TextPage } from "./page.ts";
import type { PartDisplayOptions } from "./parts.ts";
import { showPart } from "./parts.ts";
import type { TextStyle } from "./style.ts";

const ROLE_STYLES: Readonly<Record<Role, TextStyle>> = {
  system: ["bold", "magenta"],
  developer: ["bold", "magenta"],
  user: ["bold", "green"],
  assistant: ["bold", "cyan"],
  tool: ["bold", "yellow"],
};

export function showMessages(messages: readonly Message[], page: TextPage, full: boolean): void {
  const { results, paired } = pairToolResults(messages);
  const options: PartDisplayOptions = { page, full, results };
  let previousRole: Role | undefined;
  for (const message of messages) {
    const parts = message.parts.filter((part) => part.type !== "tool-result" || !paired.has(part));
    // A tool message without remaining parts is skipped, because all its results are shown below their calls.
    if (parts.length === 0 && message.parts.length > 0) continue;
    page.addBlankLine();
    if (message.role !== previousRole || message.name !== undefined) {
      const name = message.name === undefined ? "" : ` (${message.name})`;
      page.addLine(message.role + name, 0, ROLE_STYLES[message.role]);
    }
    previousRole = message.role;
    if (parts.length === 0) page.addSafeLine("(empty message)", 2, "dim");
    for (const part of parts) showPart(part, 2, options);
    if (message.metadata?.interrupted === true) page.addSafeLine("(interrupted)", 2, "red");
  }
}

interface PairedToolResults {
  results: Map<ToolCallPart, ToolResultPart>;
  paired: Set<ToolResultPart>;
}

/** Assigns each tool result to the latest preceding call with the same id that has no result yet. */
function pairToolResults(messages: readonly Message[]): PairedToolResults {
  const pairs: PairedToolResults = { results: new Map(), paired: new Set() };
  const openCalls = new Map<string, ToolCallPart>();
  for (const part of messages.flatMap(({ parts }) => parts)) {
    if (part.type === "tool-call") openCalls.set(part.toolCallId, part);
    if (part.type !== "tool-result") continue;
    const call = openCalls.get(part.toolCallId);
    if (call === undefined) continue;
    openCalls.delete(part.toolCallId);
    pairs.results.set(call, part);
    pairs.paired.add(part);
  }
  return pairs;
}
