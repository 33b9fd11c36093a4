// Invented Chat messages: plain ones, and variants of other vendors.
import type { ChatMessage } from "../../../src/dialects/openai-chat/index.ts";
import type { WireSample } from "../../../src/testkit/index.ts";

const weatherCall = (id: string, city: string): object => ({
  id,
  type: "function",
  function: { name: "weather", arguments: JSON.stringify({ city }) },
});

export const plainMessages: ChatMessage[] = [
  { role: "system", content: "Be brief." },
  { role: "developer", content: "Metric units." },
  {
    role: "user",
    name: "ada",
    content: [
      { type: "text", text: "Is it warm where this was taken?" },
      { type: "image_url", image_url: { url: "https://example.com/harbour.png" } },
      { type: "image_url", image_url: { url: "data:image/png;base64,aGFyYm91cg==" } },
      { type: "input_audio", input_audio: { data: "d2F2ZXM=", format: "wav" } },
      { type: "input_audio", input_audio: { data: "Z3VsbHM=", format: "mp3" } },
      { type: "file", file: { file_data: "data:application/pdf;base64,dGlkZXM=", filename: "tides.pdf" } },
      { type: "file", file: { file_id: "file-invented-1" } },
    ],
  },
  {
    role: "assistant",
    content: "Let me look.",
    tool_calls: [
      {
        id: "call_one",
        type: "function",
        function: { name: "weather", arguments: '{"city":"Corinth","days":2}' },
      },
      { id: "call_two", type: "custom", custom: { name: "shell", input: "date -u\n" } },
    ],
  },
  { role: "tool", tool_call_id: "call_one", content: "31 °C" },
  {
    role: "tool",
    tool_call_id: "call_two",
    content: [
      { type: "text", text: "Mon" },
      { type: "text", text: "12:00" },
    ],
  },
  { role: "assistant", content: "Quite warm." },
  { role: "user", content: "How do I break in there?" },
  { role: "assistant", content: null, refusal: "I will not help with that." },
  { role: "user", content: "" },
  { role: "assistant", content: null, audio: { id: "audio_invented_1" } },
  { role: "user", content: "And tomorrow?" },
];

/** Messages in the plain form, without residue. */
export const plainSamples: WireSample[] = [
  { name: "a conversation with media, calls and a refusal", wire: plainMessages },
  {
    name: "calls without content",
    wire: [
      { role: "user", content: "Corinth and Thebes?" },
      {
        role: "assistant",
        content: null,
        tool_calls: [weatherCall("call_a", "Corinth"), weatherCall("call_b", "Thebes")],
      },
      { role: "tool", tool_call_id: "call_a", content: "sun" },
      { role: "tool", tool_call_id: "call_b", content: "" },
      { role: "user", content: "Thanks." },
    ],
  },
];

/** The same content in other forms, and fields of other vendors. */
export const variantSamples: WireSample[] = [
  {
    name: "content in every form",
    wire: {
      messages: [
        { role: "system", content: [{ type: "text", text: "One text in a list." }] },
        { role: "user", content: [] },
        { role: "user", content: null },
        { role: "user" },
        { role: "user", content: [{ type: "text", text: "" }] },
        { role: "assistant", content: "" },
        { role: "assistant", content: [] },
        { role: "assistant" },
        { role: "assistant", content: [{ type: "text", text: "Listed." }] },
        { role: "assistant", content: [{ type: "refusal", refusal: "No." }] },
        { role: "critic", content: "Bravo!", seat: 5 },
      ],
    },
  },
  {
    name: "an answer as clients repeat it",
    wire: [
      { role: "user", content: "Hello 👋" },
      { role: "assistant", content: "Hi.", refusal: null, annotations: [], audio: null, tool_calls: [] },
      {
        role: "assistant",
        content: "🏛️ Corinth is old.",
        annotations: [
          {
            type: "url_citation",
            url_citation: {
              url: "https://example.com/c",
              title: "Corinth",
              start_index: 3,
              end_index: 10,
              content: "…",
            },
          },
          { type: "url_citation", url_citation: { url: "https://example.com/d" }, rank: 1 },
          { type: "file_stamp", file_stamp: { page: 3 } },
        ],
      },
      {
        role: "assistant",
        content: null,
        audio: { id: "audio_2", data: "aGk=", transcript: "Hi.", expires_at: 1900000000 },
        function_call: null,
      },
      { role: "assistant", content: "Two texts?", annotations: "none", refusal: "", name: "oracle" },
      { role: "user", content: "Bye." },
    ],
  },
  {
    name: "blocks with more in them than expected",
    wire: [
      {
        role: "user",
        content: [
          { type: "text", text: "Cached.", cache_control: { type: "ephemeral" } },
          { type: "text", text: "For long.", cache_control: { type: "ephemeral", ttl: "1h", scope: "all" } },
          { type: "text", text: "Marked.", prompt_cache_breakpoint: { mode: "explicit", ttl: "30m" } },
          {
            type: "text",
            text: "Twice.",
            cache_control: { type: "ephemeral", ttl: "5m" },
            prompt_cache_breakpoint: { mode: "explicit" },
          },
          {
            type: "text",
            text: "Both.",
            cache_control: { type: "ephemeral" },
            prompt_cache_breakpoint: { mode: "explicit" },
          },
          { type: "image_url", image_url: { url: "https://example.com/a.png", detail: "low" }, alt: "a" },
          { type: "image_url", image_url: "https://example.com/bare.png" },
          { type: "image_url", image_url: { url: "DATA:image/png;base64,aGk=" } },
          { type: "video_url", video_url: { url: "https://example.com/v.mp4", fps: 2 } },
          { type: "audio_url", audio_url: { url: "data:audio/ogg;base64,aGk=" } },
          { type: "input_audio", input_audio: { data: "aGk=", format: "flac" } },
          { type: "input_audio", input_audio: { data: "aGk=", format: "mpeg" } },
          { type: "input_audio", input_audio: { data: "aGk=" } },
          { type: "file", file: { file_data: "aGk=", filename: "bare.bin" } },
          { type: "file", file: { file_data: "https://example.com/a.pdf", file_id: "both", filename: null } },
          { type: "file", file: { filename: "nothing.txt" } },
          { type: "hologram", hologram: { depth: 3 } },
          { type: "text" },
          { kind: "typeless" },
        ],
      },
    ],
  },
  {
    name: "calls in the manner of old",
    wire: [
      { role: "user", content: "Weather?" },
      { role: "assistant", content: null, function_call: { name: "weather", arguments: '{"city": "Corinth"}' } },
      { role: "function", name: "weather", content: "sun" },
      { role: "assistant", content: "Sun.", function_call: { name: "sea", arguments: "" } },
      { role: "function", name: "sea", content: null },
      { role: "user", content: "Thanks." },
    ],
  },
  {
    name: "calls that vendors write differently",
    wire: [
      { role: "user", content: "Go." },
      {
        role: "assistant",
        tool_calls: [
          { id: "gSIMJiOkT", function: { name: "typeless", arguments: "{}" }, index: 0 },
          { id: "", type: "function", function: { name: "idless", arguments: '{"n": 12345678901234567890}' } },
          { type: "function", function: { name: "nameless id", arguments: { nested: { n: 1 } }, parsed: null } },
          { id: "call_4", type: "function", function: { name: "silent" } },
          { id: "call_5", type: "function", function: { name: "broken", arguments: '{"cut": ' } },
          { id: "call_6", type: "function", function: { name: "blank", arguments: " " } },
          { id: "call_6", type: "function", function: { name: "again", arguments: "[1]" } },
          { id: "call_8", type: "function", function: { name: "none", arguments: null } },
          { id: "call_9", type: "teleport", teleport: { to: "Delphi" } },
          { id: "call_10", type: "function", function: { arguments: "{}" } },
          {
            id: "call_11",
            type: "function",
            function: { name: "signed", arguments: "{}" },
            extra_content: { google: { thought_signature: "c2ln" } },
          },
        ],
      },
      { role: "tool", tool_call_id: "gSIMJiOkT", name: "typeless", content: "1" },
      { role: "tool", tool_call_id: "", content: "2" },
      { role: "tool", tool_call_id: null, name: "nameless id", content: "3" },
      { role: "tool", tool_call_id: "call_4", content: null },
      { role: "tool", tool_call_id: "call_5" },
      { role: "tool", tool_call_id: "call_6", content: [], is_error: true },
      { role: "tool", tool_call_id: "call_6", content: [{ type: "text", text: "7" }] },
      {
        role: "tool",
        tool_call_id: "call_8",
        content: [
          { type: "image_url", image_url: { url: "data:image/png;base64,aGk=" } },
          { type: "hologram", depth: 1 },
        ],
      },
      { role: "tool", content: "nobody asked" },
    ],
  },
  {
    name: "reasoning in every field that vendors use",
    wire: [
      { role: "user", content: "Think." },
      { role: "assistant", reasoning_content: "Let me see.", content: "Seen." },
      { role: "assistant", content: "Thought.", reasoning: "Hm." },
      { role: "assistant", content: "Both.", reasoning: "Same.", reasoning_content: "Same." },
      { role: "assistant", content: "Two.", reasoning: "One thing.", reasoning_content: "Another." },
      { role: "assistant", content: "None.", reasoning: null, reasoning_content: "", reasoning_details: [] },
      {
        role: "assistant",
        content: "Detailed.",
        reasoning: "First. In short.",
        reasoning_details: [
          { type: "reasoning.text", text: "First. ", signature: "c2ln", format: "anthropic-claude-v1", index: 0 },
          { type: "reasoning.summary", summary: "In short.", id: null },
          { type: "reasoning.encrypted", data: "ZW5j", id: "rs_1" },
          { type: "reasoning.smoke", colour: "blue" },
          { type: "reasoning.text", signature: "b25seQ==" },
        ],
      },
      {
        role: "assistant",
        content: [
          { type: "thinking", thinking: [{ type: "text", text: "Two and two." }], closed: true },
          { type: "text", text: "Four." },
          {
            type: "thinking",
            thinking: [
              { type: "text", text: "a" },
              { type: "text", text: "b" },
            ],
          },
          { type: "thinking", thinking: "bare" },
        ],
      },
      {
        role: "assistant",
        content: "Painted.",
        images: [{ type: "image_url", image_url: { url: "data:image/png;base64,aGk=" }, index: 0 }],
      },
      {
        role: "assistant",
        content: [{ type: "image_url", image_url: { url: "https://example.com/i.png" } }],
        images: [],
      },
      {
        role: "user",
        content: [
          { type: "thinking", thinking: [{ type: "text", text: "A user's." }] },
          { type: "refusal", refusal: "Mine." },
        ],
      },
    ],
  },
];
