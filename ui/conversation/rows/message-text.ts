// Returns texts of a message with pure functions: the author's name, the Markdown for copying, and the parts after an
// edit.
import type { MediaPart, Message, Part, Role, TextPart } from "koine";

const ROLE_NAMES: Record<Role, string> = {
  user: "You",
  assistant: "Assistant",
  system: "System",
  developer: "Developer",
  tool: "Tool results",
};

/**
 * Returns the author of a message: the model for an assistant message, the message's name for the other roles. If that
 * is missing, returns the label of the role.
 */
export function formatAuthor(
  role: Role,
  { model, name }: { model?: string | undefined; name?: string | undefined },
): string {
  return (role === "assistant" ? model : name) ?? ROLE_NAMES[role];
}

const isText = (part: Part): part is TextPart => part.type === "text";

/** Returns the texts that an editor shows, one per text part; one empty text if the message has no text part. */
export function editableTexts({ parts }: Pick<Message, "parts">): string[] {
  const texts = parts.filter(isText).map(({ text }) => text);
  return texts.length === 0 ? [""] : texts;
}

/**
 * Returns the message with edited texts. A text part that the user has emptied is removed, unchanged parts keep all
 * their fields, and a changed text part keeps only its cache breakpoint.
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
  // The cache breakpoint stays, because it applies to the request up to this part, not to the text of the part.
  return text === "" ? [] : [{ type: "text", text, ...(part.cache !== undefined && { cache: part.cache }) }];
}

/** Converts a message to Markdown: its text, or, if it has no text, its tool calls, tool results and media. */
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

/** Converts a media part to Markdown: its text, or a link if it has a URL, or otherwise its type and name. */
function mediaToMarkdown({ type, name, url, text, mimeType }: MediaPart): string {
  const title = (name ?? mimeType ?? type).replace(/[[\]\n]+/g, " ");
  if (text !== undefined) return fencedBlock(`${title}:`, text, "");
  if (url === undefined || url.startsWith("data:")) return `[${type}: ${title}]`;
  return `${type === "image" ? "!" : ""}[${title}](<${url.replace(/[<>\s]/g, encodeURIComponent)}>)`;
}

/** Returns a code block with a title. The fence of the block is longer than every sequence of backticks in the text. */
function fencedBlock(title: string, text: string, language: string): string {
  const longest = Math.max(2, ...[...text.matchAll(/`+/g)].map(([run]) => run.length));
  const fence = "`".repeat(longest + 1);
  return `${title}\n\n${fence}${language}\n${text}\n${fence}`;
}
