// Generates complete programs that call this server with each SDK. The tests run all of them.

export interface Snippet {
  id: "openai" | "anthropic" | "genai" | "ai" | "curl";
  name: string;
  /** Command that installs the packages. */
  install?: string;
  /** Environment variable with the server's URL, which the SDK reads; with it, an existing program needs no change. */
  env?: string;
  language: "javascript" | "shell";
  code: string;
}

export interface SnippetOptions {
  /** Origin of the server, without a trailing slash. */
  origin: string;
  model: string;
  /** True if the server requires a token. The code never contains the token; programs read it from a variable. */
  token: boolean;
}

const TOKEN_VARIABLE = "KOINE_TOKEN";

export function createSnippets(options: SnippetOptions): readonly Snippet[] {
  return [openai(options), anthropic(options), genai(options), aiSdk(options), curl(options)];
}

/** Returns the code of the API key. If the server requires no token, it is any text, because SDKs require a key. */
const toKeyLiteral = ({ token }: SnippetOptions): string => (token ? `process.env.${TOKEN_VARIABLE}` : `"any"`);

const toStringLiteral = (text: string): string => JSON.stringify(text);

function openai(options: SnippetOptions): Snippet {
  const code = `import OpenAI from "openai";

const client = new OpenAI({
  baseURL: ${toStringLiteral(`${options.origin}/v1`)},
  apiKey: ${toKeyLiteral(options)},
});
const answer = await client.chat.completions.create({
  model: ${toStringLiteral(options.model)},
  messages: [{ role: "user", content: "Say hello from the OpenAI SDK" }],
});
console.log(answer.choices[0].message.content);
`;
  const env = `OPENAI_BASE_URL=${options.origin}/v1`;
  return { id: "openai", name: "OpenAI", install: "npm install openai", env, language: "javascript", code };
}

function anthropic(options: SnippetOptions): Snippet {
  const code = `import Anthropic from "@anthropic-ai/sdk";

const client = new Anthropic({
  baseURL: ${toStringLiteral(options.origin)},
  apiKey: ${toKeyLiteral(options)},
});
const answer = await client.messages.create({
  model: ${toStringLiteral(options.model)},
  max_tokens: 1024,
  messages: [{ role: "user", content: "Say hello from the Anthropic SDK" }],
});
console.log(answer.content.find((block) => block.type === "text")?.text);
`;
  const env = `ANTHROPIC_BASE_URL=${options.origin}`;
  const install = "npm install @anthropic-ai/sdk";
  return { id: "anthropic", name: "Anthropic", install, env, language: "javascript", code };
}

function genai(options: SnippetOptions): Snippet {
  const code = `import { GoogleGenAI } from "@google/genai";

const client = new GoogleGenAI({
  apiKey: ${toKeyLiteral(options)},
  httpOptions: { baseUrl: ${toStringLiteral(options.origin)} },
});
const answer = await client.models.generateContent({
  model: ${toStringLiteral(options.model)},
  contents: "Say hello from the Google SDK",
});
console.log(answer.text);
`;
  return { id: "genai", name: "Google", install: "npm install @google/genai", language: "javascript", code };
}

function aiSdk(options: SnippetOptions): Snippet {
  const code = `import { createOpenAI } from "@ai-sdk/openai";
import { generateText } from "ai";

const koine = createOpenAI({
  baseURL: ${toStringLiteral(`${options.origin}/v1`)},
  apiKey: ${toKeyLiteral(options)},
});
const { text } = await generateText({
  model: koine.chat(${toStringLiteral(options.model)}),
  prompt: "Say hello from the AI SDK",
});
console.log(text);
`;
  return { id: "ai", name: "AI SDK", install: "npm install ai @ai-sdk/openai", language: "javascript", code };
}

function curl(options: SnippetOptions): Snippet {
  const body = { model: options.model, messages: [{ role: "user", content: "Say hello from curl" }] };
  const lines = [
    `curl ${options.origin}/v1/chat/completions`,
    `-H "content-type: application/json"`,
    ...(options.token ? [`-H "authorization: Bearer $${TOKEN_VARIABLE}"`] : []),
    // The body is in single quotes, in which a shell interprets only the single quote; it is written as '\''.
    `-d '${JSON.stringify(body).replaceAll("'", `'\\''`)}'`,
  ];
  return { id: "curl", name: "curl", language: "shell", code: `${lines.join(" \\\n  ")}\n` };
}
