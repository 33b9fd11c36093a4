// Counts the tokens of the demo provider: text is split into short pieces that stand for tokens.
import type { Message, Part, ModelRequest } from "../../model/index.ts";

const TOKEN = /\s*(?:[\p{L}\p{N}\p{M}_]{1,8}|\S)|\s+/gu;
const CHARACTERS_PER_TOKEN = 4;
/** The number of tokens that an image, audio, video or file counts. */
const MEDIA_TOKENS = 250;

export function splitTokens(text: string): string[] {
  return text.match(TOKEN) ?? [];
}

/** Estimates the input tokens of a request. */
export function countInputTokens({ messages, tools, output }: ModelRequest): number {
  let characters = 0;
  let tokens = 3;
  for (const message of messages) {
    tokens += 3 + countMediaTokens(message);
    for (const part of message.parts) characters += countCharacters(part);
  }
  if (tools !== undefined) characters += JSON.stringify(tools).length;
  if (output?.type === "json-schema") characters += JSON.stringify(output.schema).length;
  return tokens + Math.ceil(characters / CHARACTERS_PER_TOKEN);
}

function countCharacters(part: Part): number {
  switch (part.type) {
    case "text":
    case "reasoning":
    case "refusal":
      return part.text.length;
    case "tool-call":
      return part.toolName.length + (JSON.stringify(part.input)?.length ?? 0);
    case "tool-result": {
      const output = typeof part.output === "string" ? part.output : JSON.stringify(part.output);
      return (output?.length ?? 0) + (part.content ?? []).reduce((sum, inner) => sum + countCharacters(inner), 0);
    }
    default:
      return 0;
  }
}

function countMediaTokens({ parts }: Message): number {
  return MEDIA_TOKENS * parts.filter(({ type }) => /^(image|audio|video|file)$/.test(type)).length;
}
