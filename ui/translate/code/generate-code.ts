// Generates a curl command and code for the official SDKs, all of which send a request to this server. The dialect of
// each SDK encodes the body, and the losses of the encoding are listed with the code.
import type { ModelRequest } from "koine";
import { stringifyJson } from "koine";
import type { CodeSample, CodeOptions } from "../types.ts";
import { generateAiSdkCode } from "./ai-sdk.ts";
import { encodeBody } from "./encode-body.ts";
import { generateGenaiCode } from "./genai.ts";
import { toTokenLiteral, TOKEN_VARIABLE } from "./token-literal.ts";
import { toLiteral } from "./js-literal.ts";
import type { GeneratedCode } from "./generated-code.ts";

interface CodeTarget {
  id: string;
  title: string;
  install: string;
  extension: CodeSample["extension"];
  generate: (request: ModelRequest, options: CodeOptions) => GeneratedCode;
}

const CODE_TARGETS: readonly CodeTarget[] = [
  { id: "curl", title: "curl", install: "", extension: "sh", generate: generateCurl },
  {
    id: "openai-chat",
    title: "openai, Chat",
    install: "npm install openai",
    extension: "mjs",
    generate: generateChatCode,
  },
  {
    id: "openai-responses",
    title: "openai, Responses",
    install: "npm install openai",
    extension: "mjs",
    generate: generateResponsesCode,
  },
  {
    id: "anthropic",
    title: "@anthropic-ai/sdk",
    install: "npm install @anthropic-ai/sdk",
    extension: "mjs",
    generate: generateAnthropicCode,
  },
  {
    id: "gemini",
    title: "@google/genai",
    install: "npm install @google/genai",
    extension: "mjs",
    generate: generateGenaiCode,
  },
  { id: "ai", title: "ai", install: "npm install ai @ai-sdk/openai", extension: "mjs", generate: generateAiSdkCode },
];

/** Generates code for every target. The code requests an answer without streaming, which keeps the code short. */
export function generateCode(request: ModelRequest, options: CodeOptions): CodeSample[] {
  const { stream, ...rest } = request;
  const unstreamed: ModelRequest = { ...rest, model: options.model };
  return CODE_TARGETS.map((form) => generateFor(form, unstreamed, options, stream === true));
}

function generateFor(
  { id, title, install, extension, generate }: CodeTarget,
  request: ModelRequest,
  options: CodeOptions,
  wasStreamed: boolean,
): CodeSample {
  const code: CodeSample = { id, title, install, extension, text: "", losses: [], remarks: [] };
  try {
    const { text, losses } = generate(request, options);
    const remarks = listRemarks(text, extension);
    if (wasStreamed) remarks.push("The request asks for a stream; this code waits for the complete answer.");
    return { ...code, text, losses, remarks };
  } catch (error) {
    // An error in the code of one SDK must not affect the code of the other SDKs.
    return { ...code, failure: error instanceof Error ? error.message : String(error) };
  }
}

function listRemarks(text: string, extension: CodeSample["extension"]): string[] {
  if (extension === "sh") return [];
  return [
    ...(text.includes("JSON.rawJSON(")
      ? ["JavaScript would round some of the numbers: JSON.rawJSON (Node 22 or later) writes them digit by digit."]
      : []),
    ...(text.includes("which JavaScript rounds")
      ? ["The SDK accepts some settings only as JavaScript numbers, which rounds them: see the comments in the code."]
      : []),
  ];
}

function generateCurl(request: ModelRequest, { origin, token }: CodeOptions): GeneratedCode {
  const lines = [
    `curl ${origin}/v1/chat/completions`,
    `-H 'content-type: application/json'`,
    ...(token ? [`-H "authorization: Bearer $${TOKEN_VARIABLE}"`] : []),
    // The JSON body follows as a heredoc, which the shell passes unchanged at any length. No line of the body equals
    // the delimiter JSON.
    `--data-binary @- <<'JSON'`,
  ];
  const { body, losses } = encodeBody("openai-chat", request);
  return { text: `${lines.join(" \\\n  ")}\n${stringifyJson(body, 2)}\nJSON\n`, losses };
}

function openaiClient(options: CodeOptions): string {
  return `import OpenAI from "openai";

const client = new OpenAI({ baseURL: ${JSON.stringify(`${options.origin}/v1`)}, apiKey: ${toTokenLiteral(options)} });
`;
}

function generateChatCode(request: ModelRequest, options: CodeOptions): GeneratedCode {
  const { body, losses } = encodeBody("openai-chat", request);
  const text = `${openaiClient(options)}const answer = await client.chat.completions.create(${toLiteral(body)});
console.log(answer.choices[0].message);
`;
  return { text, losses };
}

function generateResponsesCode(request: ModelRequest, options: CodeOptions): GeneratedCode {
  const { body, losses } = encodeBody("openai-responses", request);
  const text = `${openaiClient(options)}const answer = await client.responses.create(${toLiteral(body)});
console.log(answer.output_text || answer.output);
`;
  return { text, losses };
}

/** Highest `max_tokens` without streaming; the Anthropic SDK refuses longer answers unless they are streamed. */
const MAX_UNSTREAMED_TOKENS = 16_000;

function generateAnthropicCode(request: ModelRequest, options: CodeOptions): GeneratedCode {
  const { body, losses } = encodeBody("anthropic", request);
  const isLong = Number(body["max_tokens"]) > MAX_UNSTREAMED_TOKENS;
  const method = isLong ? ["stream", ".finalMessage()"] : ["create", ""];
  const text = `import Anthropic from "@anthropic-ai/sdk";

const client = new Anthropic({ baseURL: ${JSON.stringify(options.origin)}, apiKey: ${toTokenLiteral(options)} });
const answer = await client.messages.${method[0]}(${toLiteral(body)})${method[1]};
console.log(answer.content);
`;
  return { text, losses };
}
