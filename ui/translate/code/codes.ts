// A request as code: what to paste into a shell, or into a program with one of the official SDKs, to ask it of this server.
// Bodies are what the dialect of the SDK says, value by value.
import type { Request } from "koine";
import { dialect, isObject, KoineError, stringifyJson } from "koine";
import type { Code, CodeWish } from "../types.ts";
import { aiSdkCode } from "./ai-sdk.ts";
import { keyLiteral, TOKEN_VARIABLE } from "./key.ts";
import { literalOf } from "./literal.ts";

type Body = Readonly<Record<string, unknown>>;

interface Form {
  id: string;
  title: string;
  install: string;
  ending: Code["ending"];
  write: (request: Request, wish: CodeWish) => string;
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
export function codesOf(request: Request, wish: CodeWish): Code[] {
  const { stream: _, ...asked } = request;
  const whole: Request = { ...asked, model: wish.model };
  return FORMS.map(({ id, title, install, ending, write }) => {
    const code: Code = { id, title, install, ending, text: "" };
    try {
      code.text = write(whole, wish);
    } catch (error) {
      if (!(error instanceof KoineError)) throw error;
      code.failure = error.message;
    }
    return code;
  });
}

function bodyOf(id: string, request: Request): Body {
  const { wire } = dialect(id).encodeRequest(request);
  if (!isObject(wire)) throw new TypeError("A request is an object in every dialect.");
  const { stream_options: _, ...body } = wire;
  return body;
}

function curlCode(request: Request, { origin, token }: CodeWish): string {
  const lines = [
    `curl ${origin}/v1/chat/completions`,
    `-H 'content-type: application/json'`,
    ...(token ? [`-H "authorization: Bearer $${TOKEN_VARIABLE}"`] : []),
    // Between the two words a shell reads everything as it is, whatever its length. JSON has no line that is the word.
    `--data-binary @- <<'JSON'`,
  ];
  return `${lines.join(" \\\n  ")}\n${stringifyJson(bodyOf("openai-chat", request), 2)}\nJSON\n`;
}

function openaiClient(wish: CodeWish): string {
  return `import OpenAI from "openai";

const client = new OpenAI({ baseURL: ${JSON.stringify(`${wish.origin}/v1`)}, apiKey: ${keyLiteral(wish)} });
`;
}

function chatCode(request: Request, wish: CodeWish): string {
  return `${openaiClient(wish)}const answer = await client.chat.completions.create(${literalOf(bodyOf("openai-chat", request))});
console.log(answer.choices[0].message);
`;
}

function responsesCode(request: Request, wish: CodeWish): string {
  return `${openaiClient(wish)}const answer = await client.responses.create(${literalOf(bodyOf("openai-responses", request))});
console.log(answer.output_text || answer.output);
`;
}

/** Beyond this the SDK refuses to wait for a whole answer. */
const LONG_ANSWER = 16_000;

function anthropicCode(request: Request, wish: CodeWish): string {
  const body = bodyOf("anthropic", request);
  const isLong = Number(body["max_tokens"]) > LONG_ANSWER;
  const ask = isLong ? ["stream", ".finalMessage()"] : ["create", ""];
  return `import Anthropic from "@anthropic-ai/sdk";

const client = new Anthropic({ baseURL: ${JSON.stringify(wish.origin)}, apiKey: ${keyLiteral(wish)} });
const answer = await client.messages.${ask[0]}(${literalOf(body)})${ask[1]};
console.log(answer.content);
`;
}

/** The SDK takes what the wire has beside the contents as one object. */
function genaiCode(request: Request, wish: CodeWish): string {
  const { contents, model: _, generationConfig, ...beside } = bodyOf("gemini", request);
  const config = { ...(isObject(generationConfig) ? generationConfig : {}), ...beside };
  const asked = { model: wish.model, contents, ...(Object.keys(config).length > 0 && { config }) };
  return `import { GoogleGenAI } from "@google/genai";

const client = new GoogleGenAI({ apiKey: ${keyLiteral(wish)}, httpOptions: { baseUrl: ${JSON.stringify(wish.origin)} } });
const answer = await client.models.generateContent(${literalOf(asked)});
console.log(answer.candidates[0].content.parts);
`;
}
