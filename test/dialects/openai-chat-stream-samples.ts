// Invented streams of chunks: what OpenAI sends, and what those send who speak like it.
import type { StreamSample } from "../../src/testkit/stream-samples.ts";

const HEAD = { id: "chatcmpl-01", object: "chat.completion.chunk", created: 1_700_000_000, model: "gpt-x" };

/** A chunk with one choice. */
export function said(delta: object, beside: object = {}, top: object = {}): object {
  return { ...HEAD, ...top, choices: [{ index: 0, delta, logprobs: null, finish_reason: null, ...beside }] };
}
function of(index: number, delta: object, finish_reason: string | null = null): object {
  return { ...HEAD, choices: [{ index, delta, logprobs: null, finish_reason }] };
}
export function ended(finish_reason = "stop", delta: object = {}, beside: object = {}): object {
  return said(delta, { finish_reason, ...beside });
}
export function calls(...list: object[]): object {
  return said({ tool_calls: list });
}
export const role = said({ role: "assistant", content: "", refusal: null });
export const counted = {
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
const audio = (piece: object): object => said({ audio: piece });
const image = { type: "image_url", image_url: { url: "data:image/png;base64,iVBORw0KGgo=" } };
const text = (words: string): object => ({ type: "text", text: words });
const thinking = (words: string): object => ({ type: "thinking", thinking: [text(words)] });
const detail = (words: string, beside: object = {}): object => ({ type: "reasoning.text", text: words, ...beside });

/** Streams that end as they should. */
export const wholeStreams: StreamSample[] = [
  {
    name: "a text, with usage at the end",
    events: [role, said({ content: "Hi " }), said({ content: "there." }), ended(), counted, "[DONE]"],
  },
  { name: "no [DONE]", events: [role, said({ content: "Hi." }), ended()] },
  {
    name: "fields of the answer",
    events: [
      said(
        { role: "assistant", content: "" },
        {},
        { system_fingerprint: "fp_1", service_tier: "default", obfuscation: "x" },
      ),
      said({ content: "Hi." }, { matched_stop: 7 }, { obfuscation: "abc", x_vendor: { a: 1 } }),
      { ...ended(), x_vendor: { b: 2 } },
      "[DONE]",
    ],
  },
  {
    name: "Azure's chunk about the prompt",
    events: [
      { choices: [], created: 0, id: "", model: "", object: "", prompt_filter_results: [{ prompt_index: 0 }] },
      said({ role: "assistant", content: "" }, { content_filter_results: {} }, { usage: null }),
      said({ content: "Hi." }, { content_filter_results: { hate: { filtered: false } } }),
      ended(),
      "[DONE]",
    ],
  },
  {
    name: "Groq's counts",
    events: [
      said({ role: "assistant", content: null }, {}, { x_groq: { id: "req_1", seed: 4 } }),
      said({ reasoning: "Hm. " }),
      said({ reasoning: "Yes." }),
      said({ content: "Hi." }),
      { ...ended(), x_groq: { id: "req_1", usage: { prompt_tokens: 1, completion_tokens: 2, total_tokens: 3 } } },
      "[DONE]",
    ],
  },
  {
    name: "reasoning, text and a call",
    events: [
      said({ role: "assistant", content: null, reasoning_content: "" }),
      said({ content: null, reasoning_content: "Let me " }),
      said({ content: null, reasoning_content: "look." }),
      said({ content: "Looking.", reasoning_content: null }),
      calls({ index: 0, id: "call_1", type: "function", function: { name: "look_up", arguments: "" } }),
      calls({ index: 0, function: { arguments: '{"place": ' } }),
      calls({ index: 0, function: { arguments: '"Delphi"}' } }),
      ended("tool_calls"),
      counted,
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
      ended("tool_calls"),
      "[DONE]",
    ],
  },
  {
    name: "a call in the manner of old",
    events: [
      said({ role: "assistant", content: null, function_call: { name: "look_up", arguments: "" } }),
      said({ function_call: { arguments: '{"place":' } }),
      said({ function_call: { arguments: '"Delphi"}' } }),
      ended("function_call"),
      "[DONE]",
    ],
  },
  {
    name: "a refusal with log probabilities",
    events: [
      role,
      said({ refusal: "I " }, { logprobs: { content: null, refusal: [token("I ")] } }),
      said({ refusal: "won't." }, { logprobs: { content: null, refusal: [token("won't.")] } }),
      ended(),
      "[DONE]",
    ],
  },
  {
    name: "a text with log probabilities and citations",
    events: [
      role,
      said({ content: "🏛️ Hi " }, { logprobs: { content: [token("Hi ")], refusal: null } }),
      said({ content: "there." }, { logprobs: { content: [token("there.")], refusal: null } }),
      said({ annotations: [{ type: "url_citation", url_citation: citation }] }),
      said({ annotations: [{ type: "file_citation", file_id: "file-1" }] }),
      ended(),
      "[DONE]",
    ],
  },
  {
    name: "audio",
    events: [
      said({ role: "assistant", audio: { id: "audio_1" } }),
      audio({ transcript: "Good " }),
      audio({ data: "UklG" }),
      audio({ data: "Rg==", transcript: "day." }),
      audio({ expires_at: 1_700_003_600 }),
      ended(),
      "[DONE]",
    ],
  },
  { name: "images", events: [role, said({ content: "Look." }), said({ images: [image] }), ended(), "[DONE]"] },
  {
    name: "Mistral's blocks",
    events: [
      said({ role: "assistant", content: [thinking("Two and ")] }),
      said({ content: [thinking("two.")] }),
      said({ content: [text("Fo")] }),
      said({ content: [text("ur.")] }),
      ended("stop", { content: "" }),
      "[DONE]",
    ],
  },
  {
    name: "blocks of every kind",
    events: [
      role,
      said({ content: "Plain. " }),
      said({ content: [text(""), { type: "text", text: "Odd.", x_mark: 1 }, image, { type: "novel", x: 1 }] }),
      said({ content: [{ type: "refusal", refusal: "No." }, thinking("Why?"), thinking("Why not?")] }),
      ended(),
      "[DONE]",
    ],
  },
  {
    name: "OpenRouter's details beside their text",
    events: [
      said({
        role: "assistant",
        content: "",
        reasoning: "We ",
        reasoning_details: [detail("We ", { index: 0, format: "f" })],
      }),
      said({ content: "", reasoning: "look.", reasoning_details: [detail("look.", { index: 0, format: "f" })] }),
      said({ reasoning_details: [{ type: "reasoning.text", signature: "c2ln", index: 0, format: "f" }] }),
      said({ reasoning_details: [{ type: "reasoning.encrypted", data: "ZW5j", id: "r1", index: 1 }] }),
      said({ content: "Hi." }),
      ended(),
      "[DONE]",
    ],
  },
  {
    name: "details without an index",
    events: [
      said({ role: "assistant", reasoning_details: [detail("One ")] }),
      said({ reasoning_details: [detail("thing."), detail("Another.")] }),
      said({
        reasoning_details: [
          { type: "reasoning.summary", summary: "In short." },
          { type: "reasoning.new", x: 1 },
        ],
      }),
      said({ content: "Hi." }),
      ended(),
      "[DONE]",
    ],
  },
  {
    name: "several choices",
    events: [
      of(0, { role: "assistant", content: "" }),
      of(1, { role: "assistant", content: "" }),
      of(1, { content: "Second" }),
      of(0, { content: "First" }),
      of(1, { tool_calls: [{ index: 0, function: { name: "f", arguments: "{}" } }] }),
      of(0, {}, "stop"),
      of(1, {}, "tool_calls"),
      counted,
      "[DONE]",
    ],
  },
  {
    name: "Perplexity: usage and citations on every chunk",
    events: [
      said(
        { role: "assistant", content: "Hi " },
        {},
        { usage: { prompt_tokens: 1, completion_tokens: 1, total_tokens: 2 }, citations: ["u"] },
      ),
      said(
        { content: "there." },
        {},
        { usage: { prompt_tokens: 1, completion_tokens: 2, total_tokens: 3 }, citations: ["u"] },
      ),
      { ...ended(), usage: { prompt_tokens: 1, completion_tokens: 3, total_tokens: 4 }, citations: ["u"] },
    ],
  },
  {
    name: "cut off in a call",
    events: [
      role,
      calls({ index: 0, id: "c", type: "function", function: { name: "f", arguments: '{"a":1' } }),
      ended("length"),
      "[DONE]",
    ],
  },
  { name: "no word at the end", events: [role, said({ content: "Hi." }), "[DONE]"] },
  {
    name: "two answers in a row",
    events: [
      role,
      said({ content: "One." }),
      ended(),
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
      said({ content: "Hi" }),
      { error: { message: "Overloaded.", type: "server_error", param: null, code: "overloaded" } },
    ],
    ends: "error",
  },
  {
    name: "an error beside a choice",
    events: [
      role,
      said({ content: "Hi" }),
      { ...ended("error", { content: " th" }), error: { code: 502, message: "It broke." } },
    ],
    ends: "error",
  },
  {
    name: "an error and nothing else",
    events: [{ error: { message: "No such model.", type: "invalid_request_error", code: "model_not_found" } }],
    ends: "error",
  },
  {
    name: "no end",
    events: [role, said({ content: "Hi" }), calls({ index: 0, id: "c", function: { name: "f", arguments: '{"a' } })],
    ends: "truncated",
  },
];
