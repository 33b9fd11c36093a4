// What a newcomer pastes: a complete program for each SDK that speaks to this server. Pure; tests run every one of them.

export interface Snippet {
  id: "openai" | "anthropic" | "genai" | "ai" | "curl";
  name: string;
  /** What has to be installed first. */
  install?: string;
  /** What to set instead, where a program is not to be changed. */
  env?: string;
  language: "javascript" | "shell";
  code: string;
}

export interface SnippetPlace {
  /** The server, without a slash at its end. */
  origin: string;
  model: string;
  /** Whether the server asks for a token. It never stands in a text that is copied: programs read it from a variable. */
  token: boolean;
}

const VARIABLE = "KOINE_TOKEN";

export function snippetsFor(place: SnippetPlace): readonly Snippet[] {
  return [openai(place), anthropic(place), genai(place), aiSdk(place), curl(place)];
}

/** A key as it is written in code. Where no token is asked for, SDKs insist on one all the same. */
const keyOf = ({ token }: SnippetPlace): string => (token ? `process.env.${VARIABLE}` : `"any"`);

/** A text as it is written in code. */
const quoted = (text: string): string => JSON.stringify(text);

function openai(place: SnippetPlace): Snippet {
  const code = `import OpenAI from "openai";

const client = new OpenAI({
  baseURL: ${quoted(`${place.origin}/v1`)},
  apiKey: ${keyOf(place)},
});
const answer = await client.chat.completions.create({
  model: ${quoted(place.model)},
  messages: [{ role: "user", content: "Say hello from the OpenAI SDK" }],
});
console.log(answer.choices[0].message.content);
`;
  const env = `OPENAI_BASE_URL=${place.origin}/v1`;
  return { id: "openai", name: "OpenAI", install: "npm install openai", env, language: "javascript", code };
}

function anthropic(place: SnippetPlace): Snippet {
  const code = `import Anthropic from "@anthropic-ai/sdk";

const client = new Anthropic({
  baseURL: ${quoted(place.origin)},
  apiKey: ${keyOf(place)},
});
const answer = await client.messages.create({
  model: ${quoted(place.model)},
  max_tokens: 1024,
  messages: [{ role: "user", content: "Say hello from the Anthropic SDK" }],
});
console.log(answer.content.find((block) => block.type === "text")?.text);
`;
  const env = `ANTHROPIC_BASE_URL=${place.origin}`;
  const install = "npm install @anthropic-ai/sdk";
  return { id: "anthropic", name: "Anthropic", install, env, language: "javascript", code };
}

function genai(place: SnippetPlace): Snippet {
  const code = `import { GoogleGenAI } from "@google/genai";

const client = new GoogleGenAI({
  apiKey: ${keyOf(place)},
  httpOptions: { baseUrl: ${quoted(place.origin)} },
});
const answer = await client.models.generateContent({
  model: ${quoted(place.model)},
  contents: "Say hello from the Google SDK",
});
console.log(answer.text);
`;
  return { id: "genai", name: "Google", install: "npm install @google/genai", language: "javascript", code };
}

function aiSdk(place: SnippetPlace): Snippet {
  const code = `import { createOpenAI } from "@ai-sdk/openai";
import { generateText } from "ai";

const koine = createOpenAI({
  baseURL: ${quoted(`${place.origin}/v1`)},
  apiKey: ${keyOf(place)},
});
const { text } = await generateText({
  model: koine.chat(${quoted(place.model)}),
  prompt: "Say hello from the AI SDK",
});
console.log(text);
`;
  return { id: "ai", name: "AI SDK", install: "npm install ai @ai-sdk/openai", language: "javascript", code };
}

function curl(place: SnippetPlace): Snippet {
  const body = { model: place.model, messages: [{ role: "user", content: "Say hello from curl" }] };
  const lines = [
    `curl ${place.origin}/v1/chat/completions`,
    `-H "content-type: application/json"`,
    ...(place.token ? [`-H "authorization: Bearer $${VARIABLE}"`] : []),
    // In single quotes a shell reads everything as it is, but for the quote itself.
    `-d '${JSON.stringify(body).replaceAll("'", `'\\''`)}'`,
  ];
  return { id: "curl", name: "curl", language: "shell", code: `${lines.join(" \\\n  ")}\n` };
}
