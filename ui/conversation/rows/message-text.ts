// Text of a message: its author's name, its Markdown for copying, and the parts after an edit. Pure.
import type { MediaPart, Message, Part, Role, TextPart } from "koine";

const ROLE_NAMES: Record<Role, string> = {
  user: "You",
  assistant: "Assistant",
  system: "System",
  developer: "Developer",
  tool: "Tool results",
};

/** Returns the model of an assistant message, the name of a user, else the role. */
export function formatAuthor(
  role: Role,
  { model, name }: { model?: string | undefined; name?: string | undefined },
): string {
  return (role === "assistant" ? model : name) ?? ROLE_NAMES[role];
}

const isText = (part: Part): part is TextPart => part.type === "text";

/** Returns the texts that an editor shows, one per text part; at least one. */
export function editableTexts({ parts }: Pick<Message, "parts">): string[] {
  const texts = parts.filter(isText).map(({ text }) => text);
  return texts.length === 0 ? [""] : texts;
}

/**
 * Returns the message with edited texts; an emptied text part is removed. Unchanged parts stay as they are, with their
 * extras; changed ones lose their annotations.
 */
export function replaceTexts({ role, name, extra, parts }: Message, texts: readonly string[]): Message {
  let textIndex = 0;
  const edited = parts.flatMap((part): Part[] => (isText(part) ? replaceText(part, texts[textIndex++] ?? "") : [part]));
  const addedParts: Part[] =
    textIndex === 0 ? texts.filter((text) => text !== "").map((text) => ({ type: "text", text })) : [];
  const isSame =
    addedParts.length === 0 && edited.length === parts.length && edited.every((part, index) => part === parts[index]);
  return {
    role,
    parts: [...addedParts, ...edited],
    ...(name !== undefined && { name }),
    ...(isSame && extra !== undefined && { extra }),
  };
}

function replaceText(part: TextPart, text: string): Part[] {
  if (part.text === text) return [part];
  // A cache breakpoint applies to the prefix up to this part, so it survives an edit.
  return text === "" ? [] : [{ type: "text", text, ...(part.cache !== undefined && { cache: part.cache }) }];
}

/** Converts a message to Markdown: its text, or without text its tool calls, results and media. */
export function toMarkdown({ parts }: Pick<Message, "parts">): string {
  const texts = parts.flatMap((part) => (part.type === "text" || part.type === "refusal" ? [part.text] : []));
  if (texts.some((text) => text.trim() !== "")) return texts.join("\n\n");
  return parts.map(partToMarkdown).filter(Boolean).join("\n\n");
}

function partToMarkdown(part: Part): string {
  switch (part.type) {
    case "tool-call":
      return fencedBlock(`${part.toolName}:`, part.inputText ?? JSON.stringify(part.input, undefined, 2), "json");
    case "tool-result":
      return typeof part.output === "string"
        ? fencedBlock(`${part.toolName}:`, part.output, "")
        : fencedBlock(`${part.toolName}:`, JSON.stringify(part.output, undefined, 2) ?? "", "json");
    case "reasoning":
      return part.text || (part.summary ?? []).join("\n\n");
    case "text":
    case "refusal":
    case "opaque":
      return "";
    default:
      return mediaToMarkdown(part);
  }
}

/** Converts media to a link if it has a URL, else to its name. */
function mediaToMarkdown({ type, name, url, text, mimeType }: MediaPart): string {
  const title = (name ?? mimeType ?? type).replace(/[[\]\n]+/g, " ");
  if (text !== undefined) return fencedBlock(`${title}:`, text, "");
  if (url === undefined || url.startsWith("data:")) return `[${type}: ${title}]`;
  return `${type === "image" ? "!" : ""}[${title}](<${url.replace(/[<>\s]/g, encodeURIComponent)}>)`;
}

/** The fence is longer than every run of backticks in the text. */
function fencedBlock(title: string, text: string, language: string): string {
  const longest = Math.max(2, ...[...text.matchAll(/`+/g)].map(([run]) => run.length));
  const fence = "`".repeat(longest + 1);
  return `${title}\n\n${fence}${language}\n${text}\n${fence}`;
}
