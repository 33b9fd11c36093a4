// Calls in Koine's words and in those of the official SDKs, side by side. The SDKs' words are checked by the compiler; a
// dialect that is absent cannot say the call. What may differ on the wire is named with its reason.
import type Anthropic from "@anthropic-ai/sdk";
import type { GenerateContentParameters } from "@google/genai";
import type OpenAI from "openai";
import type { Request } from "../../src/index.ts";
import { assistant, file, image, system, text, toolCall, toolResult, user } from "../../src/index.ts";
import type { UpstreamDialect } from "../support/upstreams/index.ts";

type Given<T> = Omit<T, "model" | "stream">;

export interface SdkCalls {
  "openai-chat": Given<OpenAI.ChatCompletionCreateParamsNonStreaming>;
  "openai-responses": Given<OpenAI.Responses.ResponseCreateParamsNonStreaming>;
  anthropic: Given<Anthropic.MessageCreateParamsNonStreaming>;
  gemini: Given<GenerateContentParameters>;
}

/** Where two requests differ, as a JSON pointer into { method, path, query, headers, body }, and why that is fine. */
export type Differences = Readonly<Record<string, string>>;

export interface Row extends Partial<SdkCalls> {
  request: Given<Request>;
  /** Instead of the usual model of the upstream. */
  models?: Partial<Record<UpstreamDialect, string>>;
  isStream?: true;
  differences?: Partial<Record<UpstreamDialect, Differences>>;
}

const MAX = 2000;
const sampling = { maxOutputTokens: MAX };
const PIXEL = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==";
const PDF = "JVBERi0xLjQKJSVFT0YK";
const URL = "https://example.com/cat.png";

const SCHEMA = {
  type: "object",
  properties: { city: { type: "string", description: "Its name" }, days: { type: "integer" } },
  required: ["city", "days"],
  additionalProperties: false,
} as const;
const TOOL = { name: "forecast", description: "What the weather will be" } as const;

/** The tool in every dialect. */
const tools = {
  koine: [{ type: "function", ...TOOL, inputSchema: SCHEMA }] satisfies Request["tools"],
  chat: [{ type: "function", function: { ...TOOL, parameters: { ...SCHEMA } } }] satisfies OpenAI.ChatCompletionTool[],
  responses: [
    { type: "function", ...TOOL, parameters: { ...SCHEMA }, strict: false },
  ] satisfies OpenAI.Responses.Tool[],
  anthropic: [{ ...TOOL, input_schema: { ...SCHEMA, required: [...SCHEMA.required] } }] satisfies Anthropic.Tool[],
  gemini: [{ functionDeclarations: [{ ...TOOL, parametersJsonSchema: SCHEMA }] }],
};

/** The plain question in every dialect, with more said in each. */
const asked = {
  chat: { messages: [{ role: "user", content: "Rain?" }], max_completion_tokens: MAX },
  responses: { input: [{ role: "user", content: "Rain?" }], max_output_tokens: MAX },
  anthropic: { messages: [{ role: "user", content: "Rain?" }], max_tokens: MAX },
  gemini: { contents: [{ role: "user", parts: [{ text: "Rain?" }] }] },
} as const;
const chatAsked = (): SdkCalls["openai-chat"] => ({ ...asked.chat, messages: [...asked.chat.messages] });
const responsesAsked = (): SdkCalls["openai-responses"] => ({ ...asked.responses, input: [...asked.responses.input] });
const anthropicAsked = (): SdkCalls["anthropic"] => ({ ...asked.anthropic, messages: [...asked.anthropic.messages] });
const geminiAsked = (config: SdkCalls["gemini"]["config"] = {}): SdkCalls["gemini"] => ({
  contents: [{ role: "user", parts: [{ text: "Rain?" }] }],
  config: { maxOutputTokens: MAX, ...config },
});

const question = user("Rain?");
const calls = [
  toolCall("call_1", "forecast", { city: "Roma", days: 2 }),
  toolCall("call_2", "forecast", { city: "Ἀθῆναι", days: 3 }),
] as const;

export const ROWS: Readonly<Record<string, Row>> = {
  "a text": {
    request: { messages: [question], sampling },
    "openai-chat": chatAsked(),
    "openai-responses": responsesAsked(),
    anthropic: anthropicAsked(),
    gemini: geminiAsked(),
  },
  "a text, streamed": {
    request: { messages: [question], sampling },
    isStream: true,
    "openai-chat": chatAsked(),
    "openai-responses": responsesAsked(),
    anthropic: anthropicAsked(),
    gemini: geminiAsked(),
  },
  "a system prompt and several turns": {
    request: {
      messages: [system("Be brief."), user("Hi."), assistant("Hello."), question],
      sampling,
    },
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
  "an image by its URL": {
    request: { messages: [user([text("What?"), image({ url: URL, mimeType: "image/png" })])], sampling },
    "openai-chat": {
      messages: [
        {
          role: "user",
          content: [
            { type: "text", text: "What?" },
            { type: "image_url", image_url: { url: URL } },
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
            { type: "input_image", image_url: URL, detail: "auto" },
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
            { type: "image", source: { type: "url", url: URL } },
          ],
        },
      ],
      max_tokens: MAX,
    },
    gemini: {
      contents: [{ role: "user", parts: [{ text: "What?" }, { fileData: { fileUri: URL, mimeType: "image/png" } }] }],
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
            { inlineData: { data: PDF, mimeType: "application/pdf" } },
          ],
        },
      ],
      config: { maxOutputTokens: MAX },
    },
  },
  "a tool, free to be called": {
    request: { messages: [question], tools: tools.koine, toolChoice: "auto", sampling },
    "openai-chat": { ...chatAsked(), tools: tools.chat, tool_choice: "auto" },
    "openai-responses": { ...responsesAsked(), tools: tools.responses, tool_choice: "auto" },
    anthropic: { ...anthropicAsked(), tools: tools.anthropic, tool_choice: { type: "auto" } },
  },
  "a tool that must be called": {
    request: { messages: [question], tools: tools.koine, toolChoice: { toolName: "forecast" }, sampling },
    "openai-chat": {
      ...chatAsked(),
      tools: tools.chat,
      tool_choice: { type: "function", function: { name: "forecast" } },
    },
    "openai-responses": {
      ...responsesAsked(),
      tools: tools.responses,
      tool_choice: { type: "function", name: "forecast" },
    },
    anthropic: { ...anthropicAsked(), tools: tools.anthropic, tool_choice: { type: "tool", name: "forecast" } },
  },
  "some tool, one at a time": {
    request: { messages: [question], tools: tools.koine, toolChoice: "required", parallelToolCalls: false, sampling },
    "openai-chat": { ...chatAsked(), tools: tools.chat, tool_choice: "required", parallel_tool_calls: false },
    "openai-responses": {
      ...responsesAsked(),
      tools: tools.responses,
      tool_choice: "required",
      parallel_tool_calls: false,
    },
    anthropic: {
      ...anthropicAsked(),
      tools: tools.anthropic,
      tool_choice: { type: "any", disable_parallel_tool_use: true },
    },
  },
  "a tool that must not be called": {
    request: { messages: [question], tools: tools.koine, toolChoice: "none", sampling },
    "openai-chat": { ...chatAsked(), tools: tools.chat, tool_choice: "none" },
    "openai-responses": { ...responsesAsked(), tools: tools.responses, tool_choice: "none" },
    anthropic: { ...anthropicAsked(), tools: tools.anthropic, tool_choice: { type: "none" } },
  },
  "parallel calls with their results, one of them an error": {
    request: {
      messages: [
        question,
        assistant([text("I look."), ...calls]),
        toolResult(calls[0], "sunny"),
        toolResult(calls[1], "No such city.", { isError: true }),
      ],
      tools: tools.koine,
      sampling,
    },
    "openai-chat": {
      messages: [
        { role: "user", content: "Rain?" },
        {
          role: "assistant",
          content: "I look.",
          tool_calls: calls.map(({ toolCallId: id, toolName: name, input }) => ({
            type: "function",
            id,
            function: { name, arguments: JSON.stringify(input) },
          })),
        },
        { role: "tool", tool_call_id: "call_1", content: "sunny" },
        { role: "tool", tool_call_id: "call_2", content: "No such city." },
      ],
      tools: tools.chat,
      max_completion_tokens: MAX,
    },
    "openai-responses": {
      input: [
        { role: "user", content: "Rain?" },
        { role: "assistant", content: "I look." },
        ...calls.map(({ toolCallId: id, toolName: name, input }) => ({
          type: "function_call" as const,
          call_id: id,
          name,
          arguments: JSON.stringify(input),
        })),
        { type: "function_call_output", call_id: "call_1", output: "sunny" },
        { type: "function_call_output", call_id: "call_2", output: "No such city." },
      ],
      tools: tools.responses,
      max_output_tokens: MAX,
    },
    anthropic: {
      messages: [
        { role: "user", content: "Rain?" },
        {
          role: "assistant",
          content: [
            { type: "text", text: "I look." },
            ...calls.map(({ toolCallId: id, toolName: name, input }) => ({
              type: "tool_use" as const,
              id,
              name,
              input,
            })),
          ],
        },
        {
          role: "user",
          content: [
            { type: "tool_result", tool_use_id: "call_1", content: "sunny" },
            { type: "tool_result", tool_use_id: "call_2", content: "No such city.", is_error: true },
          ],
        },
      ],
      tools: tools.anthropic,
      max_tokens: MAX,
    },
  },
};
