// How the demo counts: small pieces of text that stand for a model's tokens. Joined, they are the text again.
import type { Message, Part, ModelRequest } from "../../model/index.ts";

const PIECE = /\s*(?:[\p{L}\p{N}\p{M}_]{1,8}|\S)|\s+/gu;
const CHARACTERS_PER_TOKEN = 4;
/** What any other medium counts for. */
const MEDIA_TOKENS = 250;

export function tokensOf(text: string): string[] {
  return text.match(PIECE) ?? [];
}

/** About what a provider would count for a request. */
export function inputTokens({ messages, tools, output }: ModelRequest): number {
  let characters = 0;
  let tokens = 3;
  for (const message of messages) {
    tokens += 3 + mediaTokens(message);
    for (const part of message.parts) characters += lengthOf(part);
  }
  if (tools !== undefined) characters += JSON.stringify(tools).length;
  if (output?.type === "json-schema") characters += JSON.stringify(output.schema).length;
  return tokens + Math.ceil(characters / CHARACTERS_PER_TOKEN);
}

function lengthOf(part: Part): number {
  switch (part.type) {
    case "text":
    case "reasoning":
    case "refusal":
      return part.text.length;
    case "tool-call":
      return part.toolName.length + (JSON.stringify(part.input)?.length ?? 0);
    case "tool-result": {
      const output = typeof part.output === "string" ? part.output : JSON.stringify(part.output);
      return (output?.length ?? 0) + (part.content ?? []).reduce((sum, inner) => sum + lengthOf(inner), 0);
    }
    default:
      return 0;
  }
}

function mediaTokens({ parts }: Message): number {
  return MEDIA_TOKENS * parts.filter(({ type }) => /^(image|audio|video|file)$/.test(type)).length;
}
