// A message in words: whose it is, what is copied of it, and what an edit makes of it. Pure.
import type { Message, Part, Role, TextPart } from "koine";

const NAMES: Record<Role, string> = {
  user: "You",
  assistant: "Assistant",
  system: "System",
  developer: "Developer",
  tool: "Tool results",
};

/** Who speaks: a model by its name, a person by theirs. */
export function speakerOf(
  role: Role,
  { model, name }: { model?: string | undefined; name?: string | undefined },
): string {
  return (role === "assistant" ? model : name) ?? NAMES[role];
}

const isText = (part: Part): part is TextPart => part.type === "text";

/** The words of a message as they can be edited. */
export function editableText({ parts }: Pick<Message, "parts">): string {
  return parts
    .filter(isText)
    .map(({ text }) => text)
    .join("\n\n");
}

/** The message with other words: what is no text stays where it is. Nothing but the words and the rest is kept. */
export function withText({ role, name, parts }: Message, text: string): Message {
  const first = parts.find(isText);
  const said: Part[] = text === "" ? [] : [{ type: "text", text }];
  const edited = first === undefined ? [...said, ...parts] : parts.flatMap((part) => replaced(part, first, said));
  return { role, parts: edited, ...(name !== undefined && { name }) };
}

function replaced(part: Part, first: Part, said: Part[]): Part[] {
  if (part === first) return said;
  return isText(part) ? [] : [part];
}

/** A message as Markdown: what it says, else what it asks of tools. */
export function markdownOf({ parts }: Pick<Message, "parts">): string {
  const said = parts.flatMap((part) => (part.type === "text" || part.type === "refusal" ? [part.text] : []));
  if (said.some((text) => text.trim() !== "")) return said.join("\n\n");
  return parts.map(fenced).filter(Boolean).join("\n\n");
}

function fenced(part: Part): string {
  switch (part.type) {
    case "tool-call":
      return block(`${part.toolName}:`, part.inputText ?? JSON.stringify(part.input, undefined, 2), "json");
    case "tool-result":
      return typeof part.output === "string"
        ? block(`${part.toolName}:`, part.output, "")
        : block(`${part.toolName}:`, JSON.stringify(part.output, undefined, 2) ?? "", "json");
    case "reasoning":
      return part.text || (part.summary ?? []).join("\n\n");
    default:
      return "";
  }
}

/** A fence is longer than every run of its sign inside. */
function block(title: string, text: string, language: string): string {
  const longest = Math.max(2, ...[...text.matchAll(/`+/g)].map(([run]) => run.length));
  const fence = "`".repeat(longest + 1);
  return `${title}\n\n${fence}${language}\n${text}\n${fence}`;
}
