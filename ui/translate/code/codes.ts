// A request as code: what to paste into a shell, or into a program with one of the official SDKs, to ask it of this server.
// Bodies are what the dialect of the SDK says, value by value; what it cannot say is told with the code.
import type { ModelRequest } from "koine";
import { stringifyJson } from "koine";
import type { Code, CodeWish } from "../types.ts";
import { aiSdkCode } from "./ai-sdk.ts";
import { bodyOf } from "./body.ts";
import { genaiCode } from "./genai.ts";
import { keyLiteral, TOKEN_VARIABLE } from "./key.ts";
import { literalOf } from "./literal.ts";
import type { Written } from "./written.ts";

interface Form {
  id: string;
  title: string;
  install: string;
  ending: Code["ending"];
  write: (request: ModelRequest, wish: CodeWish) => Written;
}

const FORMS: readonly Form[] = [
  { id: "curl", title: "curl", install: "", ending: "sh", write: curlCode },
  { id: "openai-chat", title: "openai, Chat", install: "npm install openai", ending: "mjs", write: chatCode },
  {
    id: "openai-responses",
    title: "openai, Responses",
    install: "npm install openai",
    ending: "mjs",
    write: responsesCode,
  },
  {
    id: "anthropic",
    title: "@anthropic-ai/sdk",
    install: "npm install @anthropic-ai/sdk",
    ending: "mjs",
    write: anthropicCode,
  },
  { id: "gemini", title: "@google/genai", install: "npm install @google/genai", ending: "mjs", write: genaiCode },
  { id: "ai", title: "ai", install: "npm install ai @ai-sdk/openai", ending: "mjs", write: aiSdkCode },
];

/** The request for every SDK. It asks for a whole answer: how to read a stream is no part of what was asked. */
export function codesOf(request: ModelRequest, wish: CodeWish): Code[] {
  const { stream, ...asked } = request;
  const whole: ModelRequest = { ...asked, model: wish.model };
  return FORMS.map((form) => codeOf(form, whole, wish, stream === true));
}

function codeOf(
  { id, title, install, ending, write }: Form,
  asked: ModelRequest,
  wish: CodeWish,
  wasStream: boolean,
): Code {
  const code: Code = { id, title, install, ending, text: "", losses: [], remarks: [] };
  try {
    const { text, losses } = write(asked, wish);
    const remarks = remarksOf(text, ending);
    if (wasStream) remarks.push("A stream was asked for; this waits for the whole answer.");
    return { ...code, text, losses, remarks };
  } catch (error) {
    // What goes wrong with one form must not take the others along.
    return { ...code, failure: error instanceof Error ? error.message : String(error) };
  }
}

function remarksOf(text: string, ending: Code["ending"]): string[] {
  if (ending === "sh") return [];
  return [
    ...(text.includes("JSON.rawJSON(")
      ? ["JavaScript would round some of the numbers: JSON.rawJSON (Node 22 or later) writes them digit by digit."]
      : []),
    ...(text.includes("which JavaScript rounds")
      ? ["The SDK takes some of the settings as numbers only, and JavaScript rounds them: see the remarks in the code."]
      : []),
  ];
}

function curlCode(request: ModelRequest, { origin, token }: CodeWish): Written {
  const lines = [
    `curl ${origin}/v1/chat/completions`,
    `-H 'content-type: application/json'`,
    ...(token ? [`-H "authorization: Bearer $${TOKEN_VARIABLE}"`] : []),
    // Between the two words a shell reads everything as it is, whatever its length. JSON has no line that is the word.
    `--data-binary @- <<'JSON'`,
  ];
  const { body, losses } = bodyOf("openai-chat", request);
  return { text: `${lines.join(" \\\n  ")}\n${stringifyJson(body, 2)}\nJSON\n`, losses };
}

function openaiClient(wish: CodeWish): string {
  return `import OpenAI from "openai";

const client = new OpenAI({ baseURL: ${JSON.stringify(`${wish.origin}/v1`)}, apiKey: ${keyLiteral(wish)} });
`;
}

function chatCode(request: ModelRequest, wish: CodeWish): Written {
  const { body, losses } = bodyOf("openai-chat", request);
  const text = `${openaiClient(wish)}const answer = await client.chat.completions.create(${literalOf(body)});
console.log(answer.choices[0].message);
`;
  return { text, losses };
}

function responsesCode(request: ModelRequest, wish: CodeWish): Written {
  const { body, losses } = bodyOf("openai-responses", request);
  const text = `${openaiClient(wish)}const answer = await client.responses.create(${literalOf(body)});
console.log(answer.output_text || answer.output);
`;
  return { text, losses };
}

/** Beyond this the SDK refuses to wait for a whole answer. */
const LONG_ANSWER = 16_000;

function anthropicCode(request: ModelRequest, wish: CodeWish): Written {
  const { body, losses } = bodyOf("anthropic", request);
  const isLong = Number(body["max_tokens"]) > LONG_ANSWER;
  const ask = isLong ? ["stream", ".finalMessage()"] : ["create", ""];
  const text = `import Anthropic from "@anthropic-ai/sdk";

const client = new Anthropic({ baseURL: ${JSON.stringify(wish.origin)}, apiKey: ${keyLiteral(wish)} });
const answer = await client.messages.${ask[0]}(${literalOf(body)})${ask[1]};
console.log(answer.content);
`;
  return { text, losses };
}
