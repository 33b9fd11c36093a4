// Tools, tool choice, calls and results, in Koine's format and in those of the official SDKs.
import { FunctionCallingConfigMode } from "@google/genai";
import type { ModelRequest } from "../../../src/index.ts";
import { assistant, text, toolCall, toolResult } from "../../../src/index.ts";
import type { Row, SdkCalls } from "./calls.ts";
import { anthropicParams, chatParams, geminiParams, MAX, question, responsesParams, sampling, tools } from "./calls.ts";

function request(more: Partial<ModelRequest>): Row["request"] {
  return { messages: [question], tools: tools.koine, sampling, ...more };
}
function chat(choice: NonNullable<SdkCalls["openai-chat"]["tool_choice"]>, more: object = {}): SdkCalls["openai-chat"] {
  return chatParams({ tools: tools.chat, tool_choice: choice, ...more });
}
function responses(
  choice: NonNullable<SdkCalls["openai-responses"]["tool_choice"]>,
  more: object = {},
): SdkCalls["openai-responses"] {
  return responsesParams({ tools: tools.responses, tool_choice: choice, ...more });
}
function anthropic(choice: NonNullable<SdkCalls["anthropic"]["tool_choice"]>): SdkCalls["anthropic"] {
  return anthropicParams({ tools: tools.anthropic, tool_choice: choice });
}
function gemini(mode: FunctionCallingConfigMode, more: object = {}): SdkCalls["gemini"] {
  return geminiParams({ tools: tools.gemini, toolConfig: { functionCallingConfig: { mode, ...more } } });
}

const calls = [
  toolCall("call_1", "forecast", { city: "Roma", days: 2 }),
  toolCall("call_2", "forecast", { city: "Ἀθῆναι", days: 3 }),
] as const;

export const TOOL_ROWS: Readonly<Record<string, Row>> = {
  "a tool": {
    request: request({}),
    "openai-chat": chatParams({ tools: tools.chat }),
    "openai-responses": responsesParams({ tools: tools.responses }),
    anthropic: anthropicParams({ tools: tools.anthropic }),
    gemini: geminiParams({ tools: tools.gemini }),
  },
  "tool choice auto": {
    request: request({ toolChoice: "auto" }),
    "openai-chat": chat("auto"),
    "openai-responses": responses("auto"),
    anthropic: anthropic({ type: "auto" }),
    gemini: gemini(FunctionCallingConfigMode.AUTO),
  },
  "a required tool by name": {
    request: request({ toolChoice: { toolName: "forecast" } }),
    "openai-chat": chat({ type: "function", function: { name: "forecast" } }),
    "openai-responses": responses({ type: "function", name: "forecast" }),
    anthropic: anthropic({ type: "tool", name: "forecast" }),
    gemini: gemini(FunctionCallingConfigMode.ANY, { allowedFunctionNames: ["forecast"] }),
  },
  "some tool": {
    request: request({ toolChoice: "required" }),
    "openai-chat": chat("required"),
    "openai-responses": responses("required"),
    anthropic: anthropic({ type: "any" }),
    gemini: gemini(FunctionCallingConfigMode.ANY),
  },
  "no parallel calls": {
    request: request({ toolChoice: "auto", parallelToolCalls: false }),
    "openai-chat": chat("auto", { parallel_tool_calls: false }),
    "openai-responses": responses("auto", { parallel_tool_calls: false }),
    anthropic: anthropic({ type: "auto", disable_parallel_tool_use: true }),
  },
  "tool choice none": {
    request: request({ toolChoice: "none" }),
    "openai-chat": chat("none"),
    "openai-responses": responses("none"),
    anthropic: anthropic({ type: "none" }),
    gemini: gemini(FunctionCallingConfigMode.NONE),
  },
  "parallel calls with their results, one of them an error": {
    request: request({
      messages: [
        question,
        assistant([text("I look."), ...calls]),
        toolResult(calls[0], "sunny"),
        toolResult(calls[1], "No such city.", { isError: true }),
      ],
    }),
    "openai-chat": chatParams({
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
    }),
    "openai-responses": responsesParams({
      input: [
        { role: "user", content: "Rain?" },
        { role: "assistant", content: "I look." },
        ...calls.map(({ toolCallId: id, toolName: name, input }) => {
          return { type: "function_call" as const, call_id: id, name, arguments: JSON.stringify(input) };
        }),
        { type: "function_call_output", call_id: "call_1", output: "sunny" },
        { type: "function_call_output", call_id: "call_2", output: "No such city." },
      ],
      tools: tools.responses,
    }),
    anthropic: anthropicParams({
      messages: [
        { role: "user", content: "Rain?" },
        {
          role: "assistant",
          content: [
            { type: "text", text: "I look." },
            ...calls.map(({ toolCallId: id, toolName: name, input }) => {
              return { type: "tool_use" as const, id, name, input };
            }),
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
    }),
    gemini: {
      contents: [
        { role: "user", parts: [{ text: "Rain?" }] },
        {
          role: "model",
          parts: [
            { text: "I look." },
            { functionCall: { id: "call_1", name: "forecast", args: { city: "Roma", days: 2 } } },
            { functionCall: { id: "call_2", name: "forecast", args: { city: "Ἀθῆναι", days: 3 } } },
          ],
        },
        {
          role: "user",
          parts: [
            { functionResponse: { id: "call_1", name: "forecast", response: { output: "sunny" } } },
            { functionResponse: { id: "call_2", name: "forecast", response: { error: "No such city." } } },
          ],
        },
      ],
      config: { tools: tools.gemini, maxOutputTokens: MAX },
    },
    // The stricter model rejects unsigned calls, which the SDK sends unchanged.
    models: { gemini: "gemini-2.5-flash" },
  },
};
