// The clients that request a streamed answer: Koine, each provider's official SDK, and a minimal client with undici,
// line splitting and JSON.parse. Each client reads the whole stream and counts its content, so that no client can skip
// work.
import Anthropic from "@anthropic-ai/sdk";
import { GoogleGenAI } from "@google/genai";
import OpenAI from "openai";
import { Agent, request } from "undici";
import { createClient } from "../../src/client/index.ts";
import { user } from "../../src/index.ts";
import type { DialectName } from "../wire/wire.ts";

export interface Caller {
  name: string;
  /** The work: "floor" parses each line, "events" reads each event, "answer" assembles the whole answer. */
  what: "floor" | "events" | "answer";
  ask(): Promise<number>;
}

const MODEL = "model-1";
const QUESTION = "How is the weather in Corinth?";

const PATHS: Record<DialectName, string> = {
  "openai-chat": "/v1/chat/completions",
  "openai-responses": "/v1/responses",
  anthropic: "/v1/messages",
  gemini: `/v1beta/models/${MODEL}:streamGenerateContent?alt=sse`,
};

function floor(url: string, dialect: DialectName): Caller {
  const dispatcher = new Agent();
  const body = JSON.stringify({ model: MODEL, stream: true, messages: [{ role: "user", content: QUESTION }] });
  return {
    name: "floor: undici + lines + JSON.parse",
    what: "floor",
    async ask() {
      const reply = await request(url + PATHS[dialect], {
        method: "POST",
        headers: { "content-type": "application/json" },
        body,
        dispatcher,
      });
      const decoder = new TextDecoder();
      let rest = "";
      let read = 0;
      // The cast is safe, because undici yields buffers.
      for await (const chunk of reply.body as AsyncIterable<Uint8Array>) {
        const parts = (rest + decoder.decode(chunk, { stream: true })).split("\n");
        rest = parts.pop() ?? "";
        for (const line of parts) {
          if (line.startsWith("data: {")) read += Object.keys(JSON.parse(line.slice(6)) as object).length;
        }
      }
      return read;
    },
  };
}

function koine(url: string, dialect: DialectName): Caller[] {
  const client = createClient({ providers: { bench: { dialect, baseUrl: url, apiKey: "none" } } });
  const request = { model: MODEL, messages: [user(QUESTION)] };
  return [
    {
      name: "Koine, deltas",
      what: "events",
      async ask() {
        let read = 0;
        for await (const delta of client.stream(request))
          if (delta.kind === "text") read += delta.payload.textDelta.length;
        return read;
      },
    },
    {
      name: "Koine, batches",
      what: "events",
      async ask() {
        let read = 0;
        for await (const deltas of client.stream(request).batches()) {
          for (const delta of deltas) if (delta.kind === "text") read += delta.payload.textDelta.length;
        }
        return read;
      },
    },
    {
      name: "Koine, response()",
      what: "answer",
      async ask() {
        const { message } = await client.stream(request).response();
        return message.parts.reduce((sum, part) => sum + (part.type === "text" ? part.text.length : 0), 0);
      },
    },
  ];
}

const SDKS: Record<DialectName, (url: string) => Caller[]> = {
  "openai-chat"(url) {
    const client = new OpenAI({ apiKey: "none", baseURL: `${url}/v1`, maxRetries: 0 });
    const request = { model: MODEL, messages: [{ role: "user" as const, content: QUESTION }] };
    return [
      {
        name: "openai, create({ stream })",
        what: "events",
        async ask() {
          let read = 0;
          for await (const { choices } of await client.chat.completions.create({ ...request, stream: true })) {
            read += choices[0]?.delta.content?.length ?? 0;
          }
          return read;
        },
      },
      {
        name: "openai, stream().finalMessage()",
        what: "answer",
        async ask() {
          const { content } = await client.chat.completions.stream(request).finalMessage();
          return content?.length ?? 0;
        },
      },
    ];
  },
  "openai-responses"(url) {
    const client = new OpenAI({ apiKey: "none", baseURL: `${url}/v1`, maxRetries: 0 });
    const request = { model: MODEL, input: QUESTION };
    return [
      {
        name: "openai, create({ stream })",
        what: "events",
        async ask() {
          let read = 0;
          for await (const event of await client.responses.create({ ...request, stream: true })) {
            if (event.type === "response.output_text.delta") read += event.delta.length;
          }
          return read;
        },
      },
      {
        name: "openai, stream().finalResponse()",
        what: "answer",
        async ask() {
          const { output_text } = await client.responses.stream(request).finalResponse();
          return output_text.length;
        },
      },
    ];
  },
  anthropic(url) {
    const client = new Anthropic({ apiKey: "none", baseURL: url, maxRetries: 0 });
    const request = { model: MODEL, max_tokens: 1024, messages: [{ role: "user" as const, content: QUESTION }] };
    return [
      {
        name: "@anthropic-ai/sdk, create({ stream })",
        what: "events",
        async ask() {
          let read = 0;
          for await (const event of await client.messages.create({ ...request, stream: true })) {
            if (event.type === "content_block_delta" && event.delta.type === "text_delta")
              read += event.delta.text.length;
          }
          return read;
        },
      },
      {
        name: "@anthropic-ai/sdk, stream().finalMessage()",
        what: "answer",
        async ask() {
          const { content } = await client.messages.stream(request).finalMessage();
          return content.reduce((sum, block) => sum + (block.type === "text" ? block.text.length : 0), 0);
        },
      },
    ];
  },
  gemini(url) {
    const client = new GoogleGenAI({ apiKey: "none", httpOptions: { baseUrl: url } });
    return [
      {
        name: "@google/genai, generateContentStream",
        what: "events",
        async ask() {
          let read = 0;
          for await (const { candidates } of await client.models.generateContentStream({
            model: MODEL,
            contents: QUESTION,
          })) {
            for (const { text, thought } of candidates?.[0]?.content?.parts ?? [])
              read += thought ? 0 : (text?.length ?? 0);
          }
          return read;
        },
      },
    ];
  },
};

/** Returns all clients of this dialect. */
export function createCallers(url: string, dialect: DialectName): Caller[] {
  return [floor(url, dialect), ...koine(url, dialect), ...SDKS[dialect](url)];
}
