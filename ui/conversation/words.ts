// A message in words: whose it is, what is copied of it, and what an edit makes of it. Pure.
import type { MediaPart, Message, Part, Role, TextPart } from "koine";

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

/** The words of a message as they can be edited, one by one; a message without words may get some. */
export function editableTexts({ parts }: Pick<Message, "parts">): string[] {
  const texts = parts.filter(isText).map(({ text }) => text);
  return texts.length === 0 ? [""] : texts;
}

/**
 * The message with other words, each in its place; what is left empty is left out. Parts that say the same stay as they are,
 * with everything that they carry; of others, what was noted about their words is about them no more.
 */
export function withTexts({ role, name, extra, parts }: Message, texts: readonly string[]): Message {
  let at = 0;
  const edited = parts.flatMap((part): Part[] => (isText(part) ? withText(part, texts[at++] ?? "") : [part]));
  const said: Part[] = at === 0 ? texts.filter((text) => text !== "").map((text) => ({ type: "text", text })) : [];
  const isSame =
    said.length === 0 && edited.length === parts.length && edited.every((part, index) => part === parts[index]);
  return {
    role,
    parts: [...said, ...edited],
    ...(name !== undefined && { name }),
    ...(isSame && extra !== undefined && { extra }),
  };
}

function withText(part: TextPart, text: string): Part[] {
  if (part.text === text) return [part];
  // What comes before a breakpoint is kept in a cache, whatever it says.
  return text === "" ? [] : [{ type: "text", text, ...(part.cache !== undefined && { cache: part.cache }) }];
}

/** A message as Markdown: what it says, else what it asks of tools, or shows. */
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
    case "text":
    case "refusal":
    case "opaque":
      return "";
    default:
      return mediaWords(part);
  }
}

/** A medium as a link where it has an address, else by its name: whoever copies it has something in their hands. */
function mediaWords({ type, name, url, text, mimeType }: MediaPart): string {
  const title = (name ?? mimeType ?? type).replace(/[[\]\n]+/g, " ");
  if (text !== undefined) return block(`${title}:`, text, "");
  if (url === undefined || url.startsWith("data:")) return `[${type}: ${title}]`;
  return `${type === "image" ? "!" : ""}[${title}](<${url.replace(/[<>\s]/g, encodeURIComponent)}>)`;
}

/** A fence is longer than every run of its sign inside. */
function block(title: string, text: string, language: string): string {
  const longest = Math.max(2, ...[...text.matchAll(/`+/g)].map(([run]) => run.length));
  const fence = "`".repeat(longest + 1);
  return `${title}\n\n${fence}${language}\n${text}\n${fence}`;
}
