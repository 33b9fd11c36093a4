// Sample conversations in the flat shape: plain ones, and ones with every other form.
import type { MessageSample } from "../../../src/testkit/index.ts";

const weather = { name: "get_weather", arguments: '{"city":"Corinth"}', id: "call_1" };

/** Samples in the plain form only. */
export const plainSamples: MessageSample[] = [
  {
    name: "a plain conversation",
    wire: [
      { role: "system", content: "You are brief." },
      { role: "developer", content: "Answer in Greek." },
      { role: "user", content: "What is the weather in Corinth?", id: "m-1", name: "Ada" },
      { role: "assistant", content: "", reasoning: "I need a tool.", tool_calls: [weather] },
      { role: "tool", content: "18 degrees", call_id: "call_1" },
      { role: "assistant", content: "18 degrees." },
      { role: "assistant", content: "", refusal: "I would rather not." },
    ],
  },
  {
    name: "media",
    wire: [
      {
        role: "user",
        content: [
          { type: "text", text: "What is this?" },
          { type: "image", format: "image/png", data: "aW1hZ2U=" },
          { type: "image", url: "https://example.com/a.png" },
          { type: "audio", format: "audio/mpeg", data: "c291bmQ=", name: "a.mp3" },
          { type: "file", format: "application/pdf", file_id: "file-1", name: "a.pdf" },
        ],
      },
    ],
  },
  {
    name: "Claude's thinking blocks",
    wire: [
      {
        role: "assistant",
        content: "Done.",
        reasoning: "First.\n\nSecond.",
        tool_calls: [weather],
        extra: {
          claude: {
            thinking_blocks: [
              { type: "thinking", thinking: "First.", signature: "sig-1" },
              { type: "redacted_thinking", data: "hidden" },
              { type: "thinking", thinking: "Second." },
            ],
          },
        },
      },
    ],
  },
  {
    name: "Gemini's thought signatures",
    wire: [
      {
        role: "assistant",
        content: [
          { type: "text", text: "One." },
          { type: "text", text: "Two." },
        ],
        reasoning: "Hm.",
        tool_calls: [weather],
        extra: { gemini: { thought_signatures: [null, "sig-a", null, "sig-b"] } },
      },
    ],
  },
];

/** Samples with every other form, which must come back. */
export const oddSamples: MessageSample[] = [
  {
    name: "spellings of text",
    wire: [
      { role: "user", content: [{ type: "text", text: "A list of one." }] },
      { role: "user", content: [] },
      { role: "assistant", content: null, tool_calls: [], reasoning: null, refusal: "" },
      { role: "assistant", reasoning: [], refusal: [{ type: "text", text: "No." }], tool_calls: null },
      { role: "assistant", content: [{ type: "text", text: "" }], reasoning: [{ type: "text", text: "a", kind: 1 }] },
      { role: "narrator", content: "Meanwhile …", id: null, name: null, call_id: "unused", created: 7 },
    ],
  },
  {
    name: "identities of calls and results",
    wire: [
      {
        role: "assistant",
        content: "",
        tool_calls: [
          { name: "a", arguments: "{}", call_id: "c1", id: "item-1" },
          { name: "b", arguments: '{ "spaced": 1.0 }', call_id: "c2" },
          { name: "c" },
          { name: "d", arguments: null, id: null },
          { name: "e", arguments: { by: "value" }, id: "c1" },
          { name: "f", arguments: "{cut off", id: "" },
          { type: "function", function: { name: "of another shape" } },
        ],
      },
      { role: "tool", content: "one", id: "c1" },
      { role: "tool", content: "two", call_id: "c1", id: "m-7", name: "e" },
      { role: "tool", content: "three", call_id: "c2", name: "another name" },
      { role: "tool", content: null, call_id: null, name: null, id: null },
      { role: "tool", call_id: "", tool_calls: [{ name: "x" }], reasoning: 7 },
      { role: "tool", content: [{ type: "text", text: "x" }, { type: "mystery" }], call_id: "nobody", name: "" },
    ],
  },
  {
    name: "media beyond the plain form",
    wire: [
      {
        role: "user",
        content: [
          { type: "image", format: "png", data: "AAAA", url: "https://example.com/same.png", file_id: null },
          { type: "image", url: "data:image/png;base64,AAAA" },
          { type: "image", format: "jpg", data: "data:image/jpeg;base64,AAAA" },
          { type: "image", format: "image/gif", url: "data:image/jpeg;base64,AAAA", detail: "high" },
          { type: "file", format: "strange format", file_id: "file-1" },
          { type: "file", format: null, name: 7, url: "" },
          { type: "audio", name: "nowhere.wav" },
          { type: "text", text: 7 },
          { type: "sticker", id: 1 },
        ],
      },
    ],
  },
  {
    name: "reasoning and blocks in other spellings",
    wire: [
      {
        role: "assistant",
        content: "",
        reasoning: "a\nb",
        extra: {
          claude: {
            thinking_blocks: [
              { type: "thinking", thinking: "a", signature: "s", cache: 1 },
              { type: "thinking", thinking: "b", signature: null },
              { type: "summary", of: "both" },
              7,
            ],
            container: "c",
          },
        },
      },
      {
        role: "assistant",
        content: "",
        extra: { claude: { thinking_blocks: [{ type: "thinking", thinking: "silent", signature: "s" }] } },
      },
      {
        role: "assistant",
        content: "",
        reasoning: [{ type: "text", text: "listed" }],
        extra: { claude: { thinking_blocks: [{ type: "thinking", thinking: "listed", signature: "" }] } },
      },
      { role: "assistant", content: "", reasoning: "x", extra: { claude: { thinking_blocks: [] } } },
      {
        role: "assistant",
        content: "",
        reasoning: "",
        extra: { claude: { thinking_blocks: [{ type: "redacted_thinking", data: "hidden", why: "policy" }] } },
      },
      { role: "assistant", content: "", reasoning: [{ type: "image", url: "https://example.com/thought.png" }] },
    ],
  },
  {
    name: "provider data",
    wire: [
      { role: "user", content: "a", extra: { openai: { store: true, $form: { x: 1 } }, xai: {}, mistral: 7 } },
      {
        role: "user",
        content: "b",
        extra: { claude: { id: "msg_1" }, anthropic: { id: 1 }, flat: { x: 1 }, gemini: null },
      },
      { role: "user", content: "c", extra: "a text" },
      { role: "user", content: "d", extra: {} },
      {
        role: "user",
        content: "e",
        extra: { claude: { thinking_blocks: "none" }, gemini: { thought_signatures: {} } },
      },
      { role: "user", content: "f", extra: { gemini: { thought_signatures: [null], index: 0 } } },
      {
        role: "assistant",
        content: [
          { type: "text", text: "g" },
          { type: "text", text: "h" },
        ],
        refusal: "i",
        extra: { gemini: { thought_signatures: ["", "short"] } },
      },
      {
        role: "tool",
        content: "k",
        call_id: "c",
        extra: { gemini: { thought_signatures: ["s"] }, claude: { thinking_blocks: [] } },
      },
    ],
  },
];

export const samples: MessageSample[] = [...plainSamples, ...oddSamples];
