// A conversation on a page: who speaks, what is said, and each call with what came back.
import type { Message, Role, ToolCallPart, ToolResultPart } from "../../model/index.ts";
import type { Page } from "./page.ts";
import type { PartView } from "./parts.ts";
import { showPart } from "./parts.ts";
import type { Format } from "./style.ts";

const ROLE_STYLE: Readonly<Record<Role, Format>> = {
  system: ["bold", "magenta"],
  developer: ["bold", "magenta"],
  user: ["bold", "green"],
  assistant: ["bold", "cyan"],
  tool: ["bold", "yellow"],
};

export function showMessages(messages: readonly Message[], page: Page, full: boolean): void {
  const { results, paired } = pair(messages);
  const view: PartView = { page, full, results };
  let before: Role | undefined;
  for (const message of messages) {
    const parts = message.parts.filter((part) => part.type !== "tool-result" || !paired.has(part));
    // What a tool message says stands below its calls.
    if (parts.length === 0 && message.parts.length > 0) continue;
    page.space();
    if (message.role !== before || message.name !== undefined) {
      const name = message.name === undefined ? "" : ` (${message.name})`;
      page.line(message.role + name, 0, ROLE_STYLE[message.role]);
    }
    before = message.role;
    if (parts.length === 0) page.put("(says nothing)", 2, "dim");
    for (const part of parts) showPart(part, 2, view);
    if (message.metadata?.interrupted === true) page.put("(interrupted)", 2, "red");
  }
}

interface Pairs {
  results: Map<ToolCallPart, ToolResultPart>;
  paired: Set<ToolResultPart>;
}

/** Each result with the latest call of its id that has none. */
function pair(messages: readonly Message[]): Pairs {
  const pairs: Pairs = { results: new Map(), paired: new Set() };
  const open = new Map<string, ToolCallPart>();
  for (const part of messages.flatMap(({ parts }) => parts)) {
    if (part.type === "tool-call") open.set(part.toolCallId, part);
    if (part.type !== "tool-result") continue;
    const call = open.get(part.toolCallId);
    if (call === undefined) continue;
    open.delete(part.toolCallId);
    pairs.results.set(call, part);
    pairs.paired.add(part);
  }
  return pairs;
}
