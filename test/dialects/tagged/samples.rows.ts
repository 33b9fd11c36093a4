// Sample conversations in the tagged shape: plain ones, and ones with other forms of the same data.
import type { TaggedMessage } from "../../../src/dialects/tagged/index.ts";
import type { MessageSample } from "../../../src/testkit/index.ts";

const weather: TaggedMessage[] = [
  { role: "SYSTEM", content: [{ kind: "TEXT", text: "Be brief." }] },
  { role: "DEVELOPER", content: [{ kind: "TEXT", text: "Metric units." }] },
  {
    role: "USER",
    content: [
      { kind: "TEXT", text: "Is it warm where this was taken?" },
      { kind: "IMAGE", image: { data: "aGFyYm91cg==", media_type: "image/png" } },
    ],
  },
  {
    role: "ASSISTANT",
    content: [
      { kind: "THINKING", thinking: { text: "A harbour. Perhaps Corinth.", signature: "c2lnbmVk" } },
      { kind: "REDACTED_THINKING", redacted_thinking: { data: "cmVkYWN0ZWQ=" } },
      { kind: "TEXT", text: "Let me look." },
      { kind: "TOOL_CALL", tool_call: { id: "call_1", name: "weather", arguments: { city: "Corinth", days: 2 } } },
      { kind: "THINKING", thinking: { text: "And the sea?" } },
      { kind: "TOOL_CALL", tool_call: { id: "call_2", name: "sea", arguments: {} } },
    ],
  },
  {
    role: "TOOL",
    content: [{ kind: "TOOL_RESULT", tool_result: { tool_call_id: "call_1", content: "31 °C", is_error: false } }],
    tool_call_id: "call_1",
  },
  {
    role: "TOOL",
    content: [{ kind: "TOOL_RESULT", tool_result: { tool_call_id: "call_2", content: "", is_error: true } }],
    tool_call_id: "call_2",
  },
  { role: "ASSISTANT", content: [{ kind: "TEXT", text: "Warm: 31 °C." }] },
];

const media: TaggedMessage[] = [
  {
    role: "USER",
    content: [
      { kind: "IMAGE", image: { url: "https://example.com/photo.jpg" } },
      { kind: "AUDIO", audio: { data: "c291bmQ=", media_type: "audio/wav" } },
      { kind: "DOCUMENT", document: { data: "JVBERg==", media_type: "application/pdf", file_name: "a.pdf" } },
      { kind: "DOCUMENT", document: { url: "https://example.com/b.pdf" } },
    ],
  },
  { role: "ASSISTANT", content: [] },
];

const severalResults: TaggedMessage[] = [
  {
    role: "TOOL",
    content: [
      { kind: "TOOL_RESULT", tool_result: { tool_call_id: "a", content: "1", is_error: false } },
      { kind: "TOOL_RESULT", tool_result: { tool_call_id: "b", content: "2", is_error: false } },
    ],
  },
];

export const plainSamples: readonly MessageSample[] = [
  { name: "a conversation with tools", wire: weather },
  { name: "media of every kind", wire: media },
  { name: "several results in one message", wire: severalResults },
  { name: "an empty conversation", wire: [] },
];

const call = (data: object): object => ({ kind: "TOOL_CALL", tool_call: data });
const result = (data: object): object => ({ kind: "TOOL_RESULT", tool_result: data });
const redacted = (data: object): object => ({ kind: "REDACTED_THINKING", ...data });

export const spelledSamples: readonly MessageSample[] = [
  { name: "a fragment", wire: { messages: weather } },
  {
    name: "content as a string, null, absent and empty",
    wire: [
      { role: "USER", content: "Hi." },
      { role: "USER", content: "" },
      { role: "ASSISTANT", content: null },
      { role: "ASSISTANT" },
      { role: "USER", content: [] },
    ],
  },
  {
    name: "unknown roles, kinds and fields",
    wire: [
      { role: "critic", content: [{ kind: "TEXT", text: "Bad." }], mood: "grim", $form: { content: "string" } },
      { role: "USER", content: [{ kind: "HOLOGRAM", depth: 3 }, { nothing: true }], name: "Ada", id: "m1" },
      { role: "USER", content: [{ kind: "TEXT", text: "Hi.", weight: 0.5, image: { odd: true } }] },
      { role: "USER", content: [{ kind: "IMAGE", image: { url: "https://example.com", detail: "high", $form: 1 } }] },
    ],
  },
  {
    name: "explicit nulls",
    wire: [
      { role: "USER", content: [{ kind: "TEXT", text: "Hi.", image: null, audio: null }], tool_call_id: null },
      { role: "USER", content: [{ kind: "IMAGE", image: { url: null, data: "aGk=", media_type: null }, text: null }] },
      {
        role: "ASSISTANT",
        content: [
          { kind: "THINKING", thinking: { text: "Hm.", signature: null } },
          { kind: "THINKING", thinking: { text: null, signature: "" } },
          { kind: "THINKING", thinking: {} },
          call({ id: null, name: null, arguments: null }),
        ],
      },
      { role: "TOOL", content: [result({ tool_call_id: null, content: null, is_error: null })], tool_call_id: null },
    ],
  },
  {
    name: "arguments as text",
    wire: [
      {
        role: "ASSISTANT",
        content: [
          call({ id: "a", name: "f", arguments: '{ "x": 1.0 }' }),
          call({ id: "b", name: "f", arguments: "" }),
          call({ id: "c", name: "f", arguments: '{"cut": ' }),
          call({ id: "d", name: "f", arguments: "[1]" }),
          call({ id: "e", name: "f" }),
        ],
      },
    ],
  },
  {
    name: "results in many spellings",
    wire: [
      { role: "TOOL", content: "text", tool_call_id: "a" },
      { role: "TOOL", content: [{ kind: "TEXT", text: "text" }], tool_call_id: "b" },
      {
        role: "TOOL",
        content: [
          { kind: "TEXT", text: "1" },
          { kind: "TEXT", text: "2", weight: 1 },
        ],
        tool_call_id: "c",
      },
      { role: "TOOL", content: [{ kind: "TEXT", text: "no id" }] },
      { role: "TOOL", content: "no id" },
      { role: "TOOL", content: null, tool_call_id: "d" },
      { role: "TOOL", tool_call_id: "e" },
      { role: "TOOL", content: [{ kind: "HOLOGRAM" }], tool_call_id: "f" },
      { role: "TOOL", content: [result({ content: { rows: [1] } })], tool_call_id: "g" },
      { role: "TOOL", content: [result({ tool_call_id: "h", content: "no id on the message", is_error: false })] },
      { role: "TOOL", content: [result({ tool_call_id: "i", content: [] })], tool_call_id: "another" },
      {
        role: "TOOL",
        content: [result({ content: "1" }), result({ tool_call_id: "k", content: "2" })],
        tool_call_id: "j",
      },
      {
        role: "TOOL",
        content: [result({ tool_call_id: "l", content: "x" }), { kind: "TEXT", text: "y" }],
        tool_call_id: "l",
      },
      {
        role: "USER",
        content: [result({ tool_call_id: "m", content: 7, is_error: false, took: 3 })],
        tool_call_id: "m",
      },
    ],
  },
  {
    name: "redacted thinking in every position",
    wire: [
      {
        role: "ASSISTANT",
        content: [
          redacted({ redacted_thinking: { data: "one", salt: 1 } }),
          redacted({ redacted_thinking: "two" }),
          redacted({ thinking: { data: "three", text: "" } }),
          redacted({ thinking: { text: "", signature: "four" }, text: null }),
          redacted({ thinking: { text: "five" }, more: true }),
          redacted({ data: "six" }),
          redacted({ data: "" }),
          redacted({}),
        ],
      },
    ],
  },
  {
    name: "images as data URLs",
    wire: [
      {
        role: "USER",
        content: [
          { kind: "IMAGE", image: { url: "data:image/png;base64,aGk=" } },
          { kind: "IMAGE", image: { url: "data:image/png;base64,aGk=", media_type: "image/png" } },
          { kind: "IMAGE", image: { url: "data:image/png;base64,aGk=", media_type: "image/jpeg" } },
          { kind: "IMAGE", image: { url: "data:image/png;base64,aGk=", media_type: null, data: "" } },
          { kind: "IMAGE", image: { url: "DATA:image/png;base64,aGk=" } },
          { kind: "AUDIO", audio: { url: "https://example.com/a.wav", data: "c291bmQ=" } },
          { kind: "DOCUMENT", document: {} },
        ],
      },
    ],
  },
];
