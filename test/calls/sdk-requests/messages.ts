// Messages: texts and media, in Koine's format and in those of the official SDKs.
import { assistant, file, image, system, text, user } from "../../../src/index.ts";
import type { Row } from "./calls.ts";
import { anthropicParams, chatParams, geminiParams, MAX, question, responsesParams, sampling } from "./calls.ts";

const PIXEL = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==";
const PDF = "JVBERi0xLjQKJSVFT0YK";
const DETAIL = "The SDK's types require it; the API treats a missing value the same (B47, B57).";
const PICTURE = "https://example.com/cat.png";

export const MESSAGE_ROWS: Readonly<Record<string, Row>> = {
  "a text": {
    request: { messages: [question], sampling },
    "openai-chat": chatParams(),
    "openai-responses": responsesParams(),
    anthropic: anthropicParams(),
    gemini: geminiParams(),
  },
  "a text, streamed": {
    request: { messages: [question], sampling },
    isStream: true,
    differences: {
      "openai-chat": { "/body/stream_options": "A stream reports its usage only on request." },
    },
    "openai-chat": chatParams(),
    "openai-responses": responsesParams(),
    anthropic: anthropicParams(),
    gemini: geminiParams(),
  },
  "a system prompt and several turns": {
    request: {
      messages: [system("Be brief."), user("Hi."), assistant("Hello."), question],
      sampling,
    },
    differences: { gemini: { "/body/systemInstruction/role": "The SDK adds a role, which the API ignores." } },
    "openai-chat": {
      messages: [
        { role: "system", content: "Be brief." },
        { role: "user", content: "Hi." },
        { role: "assistant", content: "Hello." },
        { role: "user", content: "Rain?" },
      ],
      max_completion_tokens: MAX,
    },
    "openai-responses": {
      instructions: "Be brief.",
      input: [
        { role: "user", content: "Hi." },
        { role: "assistant", content: "Hello." },
        { role: "user", content: "Rain?" },
      ],
      max_output_tokens: MAX,
    },
    anthropic: {
      system: "Be brief.",
      messages: [
        { role: "user", content: "Hi." },
        { role: "assistant", content: "Hello." },
        { role: "user", content: "Rain?" },
      ],
      max_tokens: MAX,
    },
    gemini: {
      contents: [
        { role: "user", parts: [{ text: "Hi." }] },
        { role: "model", parts: [{ text: "Hello." }] },
        { role: "user", parts: [{ text: "Rain?" }] },
      ],
      config: { systemInstruction: "Be brief.", maxOutputTokens: MAX },
    },
  },
  "an image by its PICTURE": {
    request: { messages: [user([text("What?"), image({ url: PICTURE, mimeType: "image/png" })])], sampling },
    differences: { "openai-responses": { "/body/input/0/content/1/detail": DETAIL } },
    "openai-chat": {
      messages: [
        {
          role: "user",
          content: [
            { type: "text", text: "What?" },
            { type: "image_url", image_url: { url: PICTURE } },
          ],
        },
      ],
      max_completion_tokens: MAX,
    },
    "openai-responses": {
      input: [
        {
          role: "user",
          content: [
            { type: "input_text", text: "What?" },
            { type: "input_image", image_url: PICTURE, detail: "auto" },
          ],
        },
      ],
      max_output_tokens: MAX,
    },
    anthropic: {
      messages: [
        {
          role: "user",
          content: [
            { type: "text", text: "What?" },
            { type: "image", source: { type: "url", url: PICTURE } },
          ],
        },
      ],
      max_tokens: MAX,
    },
    gemini: {
      contents: [
        { role: "user", parts: [{ text: "What?" }, { fileData: { fileUri: PICTURE, mimeType: "image/png" } }] },
      ],
      config: { maxOutputTokens: MAX },
    },
  },
  "an image and a document as data": {
    request: {
      messages: [
        user([
          image({ data: PIXEL, mimeType: "image/png" }),
          file({ data: PDF, mimeType: "application/pdf", name: "a.pdf" }),
        ]),
      ],
      sampling,
    },
    differences: { "openai-responses": { "/body/input/0/content/0/detail": DETAIL } },
    "openai-chat": {
      messages: [
        {
          role: "user",
          content: [
            { type: "image_url", image_url: { url: `data:image/png;base64,${PIXEL}` } },
            { type: "file", file: { filename: "a.pdf", file_data: `data:application/pdf;base64,${PDF}` } },
          ],
        },
      ],
      max_completion_tokens: MAX,
    },
    "openai-responses": {
      input: [
        {
          role: "user",
          content: [
            { type: "input_image", image_url: `data:image/png;base64,${PIXEL}`, detail: "auto" },
            { type: "input_file", filename: "a.pdf", file_data: `data:application/pdf;base64,${PDF}` },
          ],
        },
      ],
      max_output_tokens: MAX,
    },
    anthropic: {
      messages: [
        {
          role: "user",
          content: [
            { type: "image", source: { type: "base64", media_type: "image/png", data: PIXEL } },
            {
              type: "document",
              source: { type: "base64", media_type: "application/pdf", data: PDF },
              title: "a.pdf",
            },
          ],
        },
      ],
      max_tokens: MAX,
    },
    gemini: {
      contents: [
        {
          role: "user",
          parts: [
            { inlineData: { data: PIXEL, mimeType: "image/png" } },
            { inlineData: { data: PDF, mimeType: "application/pdf", displayName: "a.pdf" } },
          ],
        },
      ],
      config: { maxOutputTokens: MAX },
    },
  },
};
