// Invented chunk streams of OpenAI and of compatible vendors.
import type { StreamSample } from "../../../src/testkit/checks/stream-samples.ts";

const HEAD = { id: "chatcmpl-01", object: "chat.completion.chunk", created: 1_700_000_000, model: "gpt-x" };

/** Returns a chunk with one choice. */
export function deltaChunk(delta: object, beside: object = {}, top: object = {}): object {
  return { ...HEAD, ...top, choices: [{ index: 0, delta, logprobs: null, finish_reason: null, ...beside }] };
}
function choiceChunk(index: number, delta: object, finish_reason: string | null = null): object {
  return { ...HEAD, choices: [{ index, delta, logprobs: null, finish_reason }] };
}
export function endChunk(finish_reason = "stop", delta: object = {}, beside: object = {}): object {
  return deltaChunk(delta, { finish_reason, ...beside });
}
export function calls(...list: object[]): object {
  return deltaChunk({ tool_calls: list });
}
export const role = deltaChunk({ role: "assistant", content: "", refusal: null });
export const usageChunk = {
  ...HEAD,
  choices: [],
  usage: {
    prompt_tokens: 9,
    completion_tokens: 5,
    total_tokens: 14,
    prompt_tokens_details: { cached_tokens: 2, audio_tokens: 0 },
    completion_tokens_details: { reasoning_tokens: 3 },
  },
};

const token = (text: string): object => ({
  token: text,
  logprob: -0.5,
  bytes: [104, 105],
  top_logprobs: [{ token: "yo", logprob: -2.5, bytes: null }],
});
const citation = { url: "https://example.org/", title: "Example", start_index: 1, end_index: 3 };
const audio = (fields: object): object => deltaChunk({ audio: fields });
const image = { type: "image_url", image_url: { url: "data:image/png;base64,iVBORw0KGgo=" } };
const text = (content: string): object => ({ type: "text", text: content });
const thinking = (content: string): object => ({ type: "thinking", thinking: [text(content)] });
const detail = (content: string, fields: object = {}): object => ({ type: "reasoning.text", text: content, ...fields });

/** Streams with a regular end. */
export const wholeStreams: StreamSample[] = [
  {
    name: "a text, with usage at the end",
    events: [role, deltaChunk({ content: "Hi " }), deltaChunk({ content: "there." }), endChunk(), usageChunk, "[DONE]"],
  },
  { name: "no [DONE]", events: [role, deltaChunk({ content: "Hi." }), endChunk()] },
  {
    name: "fields of the answer",
    events: [
      deltaChunk(
        { role: "assistant", content: "" },
        {},
        { system_fingerprint: "fp_1", service_tier: "default", obfuscation: "x" },
      ),
      deltaChunk({ content: "Hi." }, { matched_stop: 7 }, { obfuscation: "abc", x_vendor: { a: 1 } }),
      { ...endChunk(), x_vendor: { b: 2 } },
      "[DONE]",
    ],
  },
  {
    name: "Azure's chunk about the prompt",
    events: [
      { choices: [], created: 0, id: "", model: "", object: "", prompt_filter_results: [{ prompt_index: 0 }] },
      deltaChunk({ role: "assistant", content: "" }, { content_filter_results: {} }, { usage: null }),
      deltaChunk({ content: "Hi." }, { content_filter_results: { hate: { filtered: false } } }),
      endChunk(),
      "[DONE]",
    ],
  },
  {
    name: "Groq's counts",
    events: [
      deltaChunk({ role: "assistant", content: null }, {}, { x_groq: { id: "req_1", seed: 4 } }),
      deltaChunk({ reasoning: "Hm. " }),
      deltaChunk({ reasoning: "Yes." }),
      deltaChunk({ content: "Hi." }),
      { ...endChunk(), x_groq: { id: "req_1", usage: { prompt_tokens: 1, completion_tokens: 2, total_tokens: 3 } } },
      "[DONE]",
    ],
  },
  {
    name: "reasoning, text and a call",
    events: [
      deltaChunk({ role: "assistant", content: null, reasoning_content: "" }),
      deltaChunk({ content: null, reasoning_content: "Let me " }),
      deltaChunk({ content: null, reasoning_content: "look." }),
      deltaChunk({ content: "Looking.", reasoning_content: null }),
      calls({ index: 0, id: "call_1", type: "function", function: { name: "look_up", arguments: "" } }),
      calls({ index: 0, function: { arguments: '{"place": ' } }),
      calls({ index: 0, function: { arguments: '"Delphi"}' } }),
      endChunk("tool_calls"),
      usageChunk,
      "[DONE]",
    ],
  },
  {
    name: "parallel calls that interleave, one of them free text",
    events: [
      role,
      calls({ index: 0, id: "call_1", type: "function", function: { name: "look_up", arguments: "" } }),
      calls({ index: 1, id: "call_2", type: "custom", custom: { name: "shell", input: "" } }),
      calls({ index: 1, custom: { input: "ls " } }, { index: 0, function: { arguments: '{"a"' } }),
      calls({ index: 0, function: { arguments: ":1}" } }, { index: 1, custom: { input: "-l" } }),
      endChunk("tool_calls"),
      "[DONE]",
    ],
  },
  {
    name: "a call in the manner of old",
    events: [
      deltaChunk({ role: "assistant", content: null, function_call: { name: "look_up", arguments: "" } }),
      deltaChunk({ function_call: { arguments: '{"place":' } }),
      deltaChunk({ function_call: { arguments: '"Delphi"}' } }),
      endChunk("function_call"),
      "[DONE]",
    ],
  },
  {
    name: "a refusal with log probabilities",
    events: [
      role,
      deltaChunk({ refusal: "I " }, { logprobs: { content: null, refusal: [token("I ")] } }),
      deltaChunk({ refusal: "won't." }, { logprobs: { content: null, refusal: [token("won't.")] } }),
      endChunk(),
      "[DONE]",
    ],
  },
  {
    name: "a text with log probabilities and citations",
    events: [
      role,
      deltaChunk({ content: "🏛️ Hi " }, { logprobs: { content: [token("Hi ")], refusal: null } }),
      deltaChunk({ content: "there." }, { logprobs: { content: [token("there.")], refusal: null } }),
      deltaChunk({ annotations: [{ type: "url_citation", url_citation: citation }] }),
      deltaChunk({ annotations: [{ type: "file_citation", file_id: "file-1" }] }),
      endChunk(),
      "[DONE]",
    ],
  },
  {
    name: "audio",
    events: [
      deltaChunk({ role: "assistant", audio: { id: "audio_1" } }),
      audio({ transcript: "Good " }),
      audio({ data: "UklG" }),
      audio({ data: "Rg==", transcript: "day." }),
      audio({ expires_at: 1_700_003_600 }),
      endChunk(),
      "[DONE]",
    ],
  },
  {
    name: "images",
    events: [role, deltaChunk({ content: "Look." }), deltaChunk({ images: [image] }), endChunk(), "[DONE]"],
  },
  {
    name: "Mistral's blocks",
    events: [
      deltaChunk({ role: "assistant", content: [thinking("Two and ")] }),
      deltaChunk({ content: [thinking("two.")] }),
      deltaChunk({ content: [text("Fo")] }),
      deltaChunk({ content: [text("ur.")] }),
      endChunk("stop", { content: "" }),
      "[DONE]",
    ],
  },
  {
    name: "blocks of every kind",
    events: [
      role,
      deltaChunk({ content: "Plain. " }),
      deltaChunk({ content: [text(""), { type: "text", text: "Odd.", x_mark: 1 }, image, { type: "novel", x: 1 }] }),
      deltaChunk({ content: [{ type: "refusal", refusal: "No." }, thinking("Why?"), thinking("Why not?")] }),
      endChunk(),
      "[DONE]",
    ],
  },
  {
    name: "OpenRouter's details beside their text",
    events: [
      deltaChunk({
        role: "assistant",
        content: "",
        reasoning: "We ",
        reasoning_details: [detail("We ", { index: 0, format: "f" })],
      }),
      deltaChunk({ content: "", reasoning: "look.", reasoning_details: [detail("look.", { index: 0, format: "f" })] }),
      deltaChunk({ reasoning_details: [{ type: "reasoning.text", signature: "c2ln", index: 0, format: "f" }] }),
      deltaChunk({ reasoning_details: [{ type: "reasoning.encrypted", data: "ZW5j", id: "r1", index: 1 }] }),
      deltaChunk({ content: "Hi." }),
      endChunk(),
      "[DONE]",
    ],
  },
  {
    name: "details without an index",
    events: [
      deltaChunk({ role: "assistant", reasoning_details: [detail("One ")] }),
      deltaChunk({ reasoning_details: [detail("thing."), detail("Another.")] }),
      deltaChunk({
        reasoning_details: [
          { type: "reasoning.summary", summary: "In short." },
          { type: "reasoning.new", x: 1 },
        ],
      }),
      deltaChunk({ content: "Hi." }),
      endChunk(),
      "[DONE]",
    ],
  },
  {
    name: "several choices",
    events: [
      choiceChunk(0, { role: "assistant", content: "" }),
      choiceChunk(1, { role: "assistant", content: "" }),
      choiceChunk(1, { content: "Second" }),
      choiceChunk(0, { content: "First" }),
      choiceChunk(1, { tool_calls: [{ index: 0, function: { name: "f", arguments: "{}" } }] }),
      choiceChunk(0, {}, "stop"),
      choiceChunk(1, {}, "tool_calls"),
      usageChunk,
      "[DONE]",
    ],
  },
  {
    name: "Perplexity: usage and citations on every chunk",
    events: [
      deltaChunk(
        { role: "assistant", content: "Hi " },
        {},
        { usage: { prompt_tokens: 1, completion_tokens: 1, total_tokens: 2 }, citations: ["u"] },
      ),
      deltaChunk(
        { content: "there." },
        {},
        { usage: { prompt_tokens: 1, completion_tokens: 2, total_tokens: 3 }, citations: ["u"] },
      ),
      { ...endChunk(), usage: { prompt_tokens: 1, completion_tokens: 3, total_tokens: 4 }, citations: ["u"] },
    ],
  },
  {
    name: "cut off in a call",
    events: [
      role,
      calls({ index: 0, id: "c", type: "function", function: { name: "f", arguments: '{"a":1' } }),
      endChunk("length"),
      "[DONE]",
    ],
  },
  { name: "no finish reason", events: [role, deltaChunk({ content: "Hi." }), "[DONE]"] },
  {
    name: "two answers in a row",
    events: [
      role,
      deltaChunk({ content: "One." }),
      endChunk(),
      { ...HEAD, id: "chatcmpl-02", choices: [{ index: 0, delta: { content: "Two." }, finish_reason: "stop" }] },
      "[DONE]",
    ],
  },
];

/** Streams that fail. */
export const failedStreams: StreamSample[] = [
  {
    name: "an error instead of a chunk",
    events: [
      role,
      deltaChunk({ content: "Hi" }),
      { error: { message: "Overloaded.", type: "server_error", param: null, code: "overloaded" } },
    ],
    ends: "error",
  },
  {
    name: "an error beside a choice",
    events: [
      role,
      deltaChunk({ content: "Hi" }),
      { ...endChunk("error", { content: " th" }), error: { code: 502, message: "It broke." } },
    ],
    ends: "error",
  },
  {
    name: "only an error",
    events: [{ error: { message: "No such model.", type: "invalid_request_error", code: "model_not_found" } }],
    ends: "error",
  },
  {
    name: "no end",
    events: [
      role,
      deltaChunk({ content: "Hi" }),
      calls({ index: 0, id: "c", function: { name: "f", arguments: '{"a' } }),
    ],
    ends: "truncated",
  },
];
