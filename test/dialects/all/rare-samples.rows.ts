// Rare values on every provider's wire: redacted thinking, refusals, audio and video, paused and blocked answers, results
// that are only an image or in another order than their calls, arguments that are not JSON or contain 64-bit integers, and
// empty messages.
import { parseJson } from "../../../src/model/json/index.ts";
import type { WireSample } from "../../../src/testkit/checks/payload-codec.ts";

const BIG = "9223372036854775807";
const PIXEL = "iVBORw0KGgo=";
const schema = { type: "object", properties: { id: { type: "integer" } } };

const chatCall = (id: string, args: string): object => ({
  id,
  type: "function",
  function: { name: "look", arguments: args },
});
const chatTools = [{ type: "function", function: { name: "look", parameters: schema } }];

const chatRequests: WireSample[] = [
  {
    name: "audio input",
    wire: {
      model: "gpt-audio",
      messages: [
        { role: "user", content: [{ type: "input_audio", input_audio: { data: "UklGRg==", format: "wav" } }] },
      ],
    },
  },
  {
    name: "a refusal in the history",
    wire: {
      model: "gpt-5",
      messages: [
        { role: "user", content: "Do it." },
        { role: "assistant", content: null, refusal: "I would rather not." },
        { role: "user", content: "" },
      ],
    },
  },
  {
    name: "calls answered out of order, arguments that are not JSON, and 64-bit integers",
    wire: {
      model: "gpt-5",
      tools: chatTools,
      messages: [
        { role: "user", content: "Look." },
        {
          role: "assistant",
          content: null,
          tool_calls: [chatCall("call_a", `{"id": ${BIG}}`), chatCall("call_b", '{"id": 1'), chatCall("call_c", "")],
        },
        { role: "tool", tool_call_id: "call_c", content: "third" },
        { role: "tool", tool_call_id: "call_a", content: "first" },
        { role: "tool", tool_call_id: "call_b", content: "" },
      ],
    },
  },
];

const responsesRequests: WireSample[] = [
  {
    name: "an image-only result, answers out of order, arguments that are not JSON",
    wire: {
      model: "gpt-5",
      tools: [{ type: "function", name: "look", parameters: schema, strict: false }],
      input: [
        { role: "user", content: "Look." },
        { type: "function_call", call_id: "call_a", name: "look", arguments: `{"id": ${BIG}}` },
        { type: "function_call", call_id: "call_b", name: "look", arguments: '{"id":' },
        {
          type: "function_call_output",
          call_id: "call_b",
          output: [{ type: "input_image", image_url: `data:image/png;base64,${PIXEL}`, detail: "low" }],
        },
        { type: "function_call_output", call_id: "call_a", output: "first" },
      ],
    },
  },
];

const anthropicRequests: WireSample[] = [
  {
    name: "redacted thinking, an image-only result, answers out of order",
    wire: {
      model: "claude-opus-4-8",
      max_tokens: 4096,
      thinking: { type: "enabled", budget_tokens: 2048 },
      tools: [{ name: "look", input_schema: schema }],
      messages: [
        { role: "user", content: "Look." },
        {
          role: "assistant",
          content: [
            { type: "redacted_thinking", data: "cmVkYWN0ZWQgdGhvdWdodA==" },
            { type: "thinking", thinking: "", signature: "c2lnbmVkIGVtcHR5" },
            { type: "tool_use", id: "toolu_a", name: "look", input: {} },
            { type: "tool_use", id: "toolu_b", name: "look", input: { id: 1 } },
          ],
        },
        {
          role: "user",
          content: [
            {
              type: "tool_result",
              tool_use_id: "toolu_b",
              content: [{ type: "image", source: { type: "base64", media_type: "image/png", data: PIXEL } }],
            },
            { type: "tool_result", tool_use_id: "toolu_a", is_error: true },
            { type: "text", text: "What do you see?" },
          ],
        },
      ],
    },
  },
  {
    name: "64-bit integers",
    wire: parseJson(
      `{"model":"claude-opus-4-8","max_tokens":1024,"messages":[{"role":"user","content":"Go."},{"role":"assistant","content":[{"type":"tool_use","id":"toolu_1","name":"look","input":{"id":${BIG}}}]},{"role":"user","content":[{"type":"tool_result","tool_use_id":"toolu_1","content":"done"}]}],"tools":[{"name":"look","input_schema":{"type":"object"}}]}`,
    ),
  },
];

const geminiRequests: WireSample[] = [
  {
    name: "audio and video input, and an empty turn",
    address: { model: "gemini-2.5-pro" },
    wire: {
      contents: [
        {
          role: "user",
          parts: [
            { inlineData: { mimeType: "audio/wav", data: "UklGRg==" } },
            { inlineData: { mimeType: "video/mp4", data: "AAAAIGZ0eXA=" }, videoMetadata: { startOffset: "2s" } },
            { fileData: { mimeType: "video/mp4", fileUri: "https://www.youtube.com/watch?v=invented" } },
            { text: "What happens?" },
          ],
        },
      ],
    },
  },
  {
    name: "signed calls without ids, an image-only result, 64-bit integers",
    address: { model: "gemini-3-pro" },
    wire: parseJson(
      `{"contents":[{"role":"user","parts":[{"text":"Look."}]},{"role":"model","parts":[{"functionCall":{"name":"look","args":{"id":${BIG}}},"thoughtSignature":"c2lnbmVkIGNhbGw="},{"functionCall":{"name":"look"}}]},{"role":"user","parts":[{"functionResponse":{"name":"look","response":{},"parts":[{"inlineData":{"mimeType":"image/png","data":"${PIXEL}"}}]}},{"functionResponse":{"name":"look","response":{"error":"No."}}}]}]}`,
    ),
  },
];

const chatResponses: WireSample[] = [
  {
    name: "a refusal",
    wire: {
      id: "chatcmpl-1",
      object: "chat.completion",
      created: 1_700_000_000,
      model: "gpt-5",
      choices: [
        {
          index: 0,
          message: { role: "assistant", content: null, refusal: "I would rather not.", annotations: [] },
          logprobs: null,
          finish_reason: "stop",
        },
      ],
      usage: { prompt_tokens: 7, completion_tokens: 5, total_tokens: 12 },
    },
  },
];

const anthropicResponses: WireSample[] = [
  {
    name: "a paused turn",
    wire: {
      id: "msg_1",
      type: "message",
      role: "assistant",
      model: "claude-opus-4-8",
      content: [
        { type: "text", text: "Let me search for that." },
        { type: "server_tool_use", id: "srvtoolu_1", name: "web_search", input: { query: "koine greek" } },
      ],
      stop_reason: "pause_turn",
      stop_sequence: null,
      usage: { input_tokens: 9, output_tokens: 4 },
    },
  },
  {
    name: "a refusal, with redacted thinking",
    wire: {
      id: "msg_2",
      type: "message",
      role: "assistant",
      model: "claude-opus-4-8",
      content: [{ type: "redacted_thinking", data: "cmVkYWN0ZWQgdGhvdWdodA==" }],
      stop_reason: "refusal",
      stop_sequence: null,
      usage: { input_tokens: 9, output_tokens: 0 },
    },
  },
];

const responsesResponses: WireSample[] = [
  {
    name: "an answer that is cut off within its arguments",
    wire: {
      id: "resp_1",
      object: "response",
      created_at: 1_700_000_000,
      status: "incomplete",
      incomplete_details: { reason: "max_output_tokens" },
      error: null,
      model: "gpt-5",
      output: [
        {
          type: "function_call",
          id: "fc_1",
          call_id: "call_1",
          name: "look",
          arguments: '{"id": 12',
          status: "incomplete",
        },
      ],
      usage: { input_tokens: 9, output_tokens: 16, total_tokens: 25 },
    },
  },
];

const geminiResponses: WireSample[] = [
  {
    name: "stopped for safety",
    wire: {
      candidates: [
        {
          index: 0,
          content: { role: "model", parts: [{ text: "First you" }] },
          finishReason: "SAFETY",
          safetyRatings: [{ category: "HARM_CATEGORY_DANGEROUS_CONTENT", probability: "HIGH", blocked: true }],
        },
      ],
      usageMetadata: { promptTokenCount: 8, candidatesTokenCount: 2, totalTokenCount: 10 },
      modelVersion: "gemini-2.5-pro",
      responseId: "r1",
    },
  },
  {
    name: "a blocked prompt",
    wire: {
      promptFeedback: { blockReason: "PROHIBITED_CONTENT" },
      usageMetadata: { promptTokenCount: 8, totalTokenCount: 8 },
      modelVersion: "gemini-2.5-pro",
    },
  },
];

const bedrockRequests: WireSample[] = [
  {
    name: "redacted reasoning, an image-only result, answers out of order, 64-bit integers",
    wire: {
      toolConfig: { tools: [{ toolSpec: { name: "look", inputSchema: { json: schema } } }] },
      messages: [
        { role: "user", content: [{ text: "Look." }] },
        {
          role: "assistant",
          content: [
            { reasoningContent: { redactedContent: "b3BhcXVl" } },
            // Exact digits survive only if JSON is parsed by `parseJson`.
            { toolUse: { toolUseId: "tooluse_a", name: "look", input: parseJson(`{"id":${BIG}}`) } },
            { toolUse: { toolUseId: "tooluse_b", name: "look", input: {} } },
          ],
        },
        {
          role: "user",
          content: [
            {
              toolResult: {
                toolUseId: "tooluse_b",
                content: [{ image: { format: "png", source: { bytes: PIXEL } } }],
                status: "error",
              },
            },
            { toolResult: { toolUseId: "tooluse_a", content: [{ json: { seen: true } }] } },
          ],
        },
      ],
    },
    address: { model: "us.anthropic.claude-sonnet-4-5-20250929-v1:0" },
  },
];

const bedrockResponses: WireSample[] = [
  {
    name: "stopped by a guardrail",
    wire: {
      output: { message: { role: "assistant", content: [{ text: "First you" }] } },
      stopReason: "guardrail_intervened",
      usage: { inputTokens: 8, outputTokens: 2, totalTokens: 10 },
      metrics: { latencyMs: 5 },
      trace: { guardrail: { actionReason: "Guardrail blocked." } },
    },
  },
];

export const RARE = {
  "openai-chat": { requests: chatRequests, responses: chatResponses },
  "openai-responses": { requests: responsesRequests, responses: responsesResponses },
  anthropic: { requests: anthropicRequests, responses: anthropicResponses },
  gemini: { requests: geminiRequests, responses: geminiResponses },
  bedrock: { requests: bedrockRequests, responses: bedrockResponses },
} as const;
