// Hand-written model messages of the AI SDK: every part in every form of the SDK's types, older forms, unknown parts.
import type { MessageSample } from "../../../src/testkit/index.ts";

const PNG = "iVBORw0KGgo=";

export const plainSamples: MessageSample[] = [
  {
    name: "a plain conversation",
    wire: [
      { role: "system", content: "Answer briefly." },
      { role: "user", content: [{ type: "text", text: "How warm is it in Corinth?" }] },
      {
        role: "assistant",
        content: [
          { type: "reasoning", text: "A tool knows." },
          { type: "text", text: "Let me look." },
          { type: "tool-call", toolCallId: "call_1", toolName: "weather", input: { city: "Corinth" } },
          { type: "tool-call", toolCallId: "call_2", toolName: "clock", input: {} },
        ],
      },
      {
        role: "tool",
        content: [
          {
            type: "tool-result",
            toolCallId: "call_1",
            toolName: "weather",
            output: { type: "json", value: { c: 31 } },
          },
          {
            type: "tool-result",
            toolCallId: "call_2",
            toolName: "clock",
            output: { type: "error-text", value: "No." },
          },
        ],
      },
      { role: "assistant", content: [{ type: "text", text: "31 degrees." }] },
    ],
  },
  {
    name: "files",
    wire: [
      {
        role: "user",
        content: [
          { type: "file", data: "https://example.com/a.png", mediaType: "image/png" },
          { type: "file", data: PNG, mediaType: "image", filename: "a.png" },
          { type: "file", data: "JVBERi0=", mediaType: "application/pdf", filename: "a.pdf" },
          { type: "file", data: { type: "text", text: "Plain words." }, mediaType: "text/plain" },
          { type: "file", data: { type: "reference", reference: { openai: "file-1" } }, mediaType: "application/pdf" },
        ],
      },
      { role: "assistant", content: [{ type: "file", data: PNG, mediaType: "image/png" }] },
    ],
  },
  {
    name: "seals and breakpoints",
    wire: [
      {
        role: "system",
        content: "A long rule.",
        providerOptions: { anthropic: { cacheControl: { type: "ephemeral", ttl: "1h" } } },
      },
      {
        role: "user",
        content: [
          {
            type: "text",
            text: "A long text.",
            providerOptions: { anthropic: { cacheControl: { type: "ephemeral" } } },
          },
        ],
      },
      {
        role: "assistant",
        content: [
          { type: "reasoning", text: "Hm.", providerOptions: { anthropic: { signature: "sig" } } },
          { type: "reasoning", text: "", providerOptions: { anthropic: { redactedData: "xyz" } } },
          { type: "reasoning", text: "", providerOptions: { openai: { itemId: "rs_0" } } },
          {
            type: "reasoning",
            text: "First.",
            providerOptions: { openai: { itemId: "rs_1", reasoningEncryptedContent: "enc" } },
          },
          {
            type: "reasoning",
            text: "Second.",
            providerOptions: { openai: { itemId: "rs_1", reasoningEncryptedContent: "enc" } },
          },
          { type: "text", text: "Well.", providerOptions: { openai: { itemId: "msg_1" } } },
          {
            type: "tool-call",
            toolCallId: "call_1",
            toolName: "look",
            input: { at: "it" },
            providerOptions: { google: { thoughtSignature: "ts" } },
          },
          { type: "text", text: "And more.", providerOptions: { vertex: { thoughtSignature: "vts" } } },
          { type: "reasoning", text: "", providerOptions: { azure: { itemId: "rs_2" } } },
        ],
      },
    ],
  },
  {
    name: "tools that the provider ran",
    wire: [
      {
        role: "assistant",
        content: [
          {
            type: "tool-call",
            toolCallId: "srv_1",
            toolName: "web_search",
            input: { query: "koine" },
            providerExecuted: true,
          },
          {
            type: "tool-result",
            toolCallId: "srv_1",
            toolName: "web_search",
            output: { type: "json", value: [{ url: "https://example.com" }] },
          },
          { type: "text", text: "Found." },
        ],
      },
    ],
  },
  {
    name: "content of a result",
    wire: [
      { role: "assistant", content: [{ type: "tool-call", toolCallId: "c", toolName: "shoot", input: {} }] },
      {
        role: "tool",
        content: [
          {
            type: "tool-result",
            toolCallId: "c",
            toolName: "shoot",
            output: {
              type: "content",
              value: [
                { type: "text", text: "See:" },
                { type: "file", data: { type: "data", data: PNG }, mediaType: "image/png" },
                { type: "image-url", url: "https://example.com/b" },
                { type: "file-url", url: "https://example.com/c", mediaType: "audio/wav" },
              ],
            },
          },
        ],
      },
    ],
  },
];

const unusualSamples: MessageSample[] = [
  {
    name: "strings instead of lists, and lists instead of strings",
    wire: [
      { role: "system", content: [{ type: "text", text: "A rule." }] },
      { role: "user", content: "Hello.", providerOptions: { openai: { a: 1 } } },
      { role: "assistant", content: "Hello yourself." },
      { role: "user", content: "" },
    ],
  },
  {
    name: "options of messages, and malformed options",
    wire: [
      {
        role: "user",
        content: [{ type: "text", text: "x", providerOptions: { anthropic: { citations: { enabled: true } } } }],
        providerOptions: { anthropic: { cacheControl: { type: "ephemeral" } }, $odd: {}, $$odder: null },
      },
      {
        role: "assistant",
        content: [
          { type: "text", text: "x", providerOptions: {} },
          { type: "text", text: "y", providerOptions: { openai: {} } },
          {
            type: "reasoning",
            text: "",
            providerOptions: { openai: { itemId: "rs_1", reasoningEncryptedContent: null } },
          },
          { type: "text", text: "z", providerOptions: { openai: { itemId: "msg_1", phase: "final" }, xai: { n: 1 } } },
          {
            type: "text",
            text: "c",
            providerOptions: { anthropic: { cacheControl: { type: "ephemeral", ttl: "2h" } } },
          },
        ],
        providerOptions: {},
      },
    ],
  },
  {
    name: "parts of one OpenAI item with different options",
    wire: [
      {
        role: "assistant",
        content: [
          { type: "reasoning", text: "First.", providerOptions: { openai: { itemId: "rs_1" } } },
          { type: "reasoning", text: "", providerOptions: { openai: { itemId: "rs_1" } }, note: 1 },
          {
            type: "reasoning",
            text: "Last.",
            providerOptions: { openai: { itemId: "rs_1", reasoningEncryptedContent: "enc", more: [1] } },
          },
          { type: "reasoning", text: "Another.", providerOptions: { openai: { itemId: "rs_2" } } },
        ],
      },
    ],
  },
  {
    name: "files in other forms",
    wire: [
      {
        role: "user",
        content: [
          { type: "image", image: PNG },
          { type: "image", image: "https://example.com/a", mediaType: "image/png" },
          { type: "image", image: `data:image/png;base64,${PNG}`, mediaType: "image/png" },
          { type: "image", image: `data:image/png;base64,${PNG}` },
          { type: "image", image: { openai: "file-2" }, mediaType: "image" },
          { type: "file", data: { type: "data", data: PNG }, mediaType: "image/png" },
          { type: "file", data: { type: "url", url: "https://example.com/c", hint: 1 }, mediaType: "audio/mpeg" },
          { type: "file", data: { type: "url", url: "relative" }, mediaType: "video/mp4" },
          { type: "file", data: { type: "url", url: `data:image/png;base64,${PNG}` }, mediaType: "image/png" },
          { type: "file", data: { type: "Buffer", data: [137, 80, 78, 71] }, mediaType: "image/png" },
          { type: "file", data: { anthropic: "file_1" }, mediaType: "application/pdf" },
          { type: "file", data: { type: "reference", reference: { a: "1", b: "2" } }, mediaType: "application/pdf" },
          { type: "file", data: "aGk=", mediaType: "text" },
          { type: "file", data: { key: "stored elsewhere", type: "attachment" }, mediaType: "text/plain" },
        ],
      },
    ],
  },
  {
    name: "approvals, custom parts and reasoning files",
    wire: [
      {
        role: "assistant",
        content: [
          { type: "custom", kind: "openai.compaction", providerOptions: { openai: { itemId: "cmp_1" } } },
          { type: "reasoning-file", data: PNG, mediaType: "image/png" },
          { type: "tool-call", toolCallId: "c", toolName: "rm", input: { path: "/x" } },
          { type: "tool-approval-request", approvalId: "a", toolCallId: "c", reason: "It deletes." },
        ],
      },
      {
        role: "tool",
        content: [
          { type: "tool-approval-response", approvalId: "a", approved: false, reason: "Keep it." },
          {
            type: "tool-result",
            toolCallId: "c",
            toolName: "rm",
            output: { type: "execution-denied", reason: "Keep it." },
          },
        ],
      },
    ],
  },
  {
    name: "outputs in every form",
    wire: [
      {
        role: "tool",
        content: [
          { type: "tool-result", toolCallId: "1", toolName: "f", output: { type: "text", value: "" } },
          { type: "tool-result", toolCallId: "2", toolName: "f", output: { type: "json", value: "text" } },
          { type: "tool-result", toolCallId: "3", toolName: "f", output: { type: "json", value: null } },
          { type: "tool-result", toolCallId: "4", toolName: "f", output: { type: "error-json", value: { code: 1 } } },
          { type: "tool-result", toolCallId: "5", toolName: "f", output: { type: "error-json", value: "text" } },
          { type: "tool-result", toolCallId: "6", toolName: "f", output: { type: "execution-denied" } },
          {
            type: "tool-result",
            toolCallId: "7",
            toolName: "f",
            output: { type: "text", value: "x", providerOptions: { anthropic: { a: 1 } } },
            providerOptions: { anthropic: { cacheControl: { type: "ephemeral", ttl: "5m" } } },
          },
          { type: "tool-result", toolCallId: "8", toolName: "f", output: { type: "new", value: 1 } },
          { type: "tool-result", toolCallId: "9", toolName: "f", output: { type: "content", value: [] } },
          {
            type: "tool-result",
            toolCallId: "10",
            toolName: "f",
            output: {
              type: "content",
              value: [
                { type: "text", text: "x", providerOptions: { openai: { itemId: "i" } } },
                { type: "file-data", data: PNG, mediaType: "image/png", filename: "x.png" },
                { type: "file-url", url: "https://example.com/f" },
                { type: "file-url", url: "https://example.com/f", mediaType: "audio/wav" },
                { type: "file-id-not-portable", fileId: { openai: "file-1" } },
                { type: "file-reference", providerReference: { openai: "file-1" } },
                { type: "image-data", data: PNG, mediaType: "image/png" },
                { type: "image-url", url: "https://example.com/i" },
                { type: "image-file-id", fileId: "file-1" },
                { type: "media", data: PNG, mediaType: "image/png" },
                { type: "file", data: "https://example.com/bare", mediaType: "image/png" },
                { type: "file", data: { type: "url", url: "https://example.com/b" }, mediaType: "image" },
                { type: "file", data: { type: "url", url: "https://example.com/b" }, mediaType: "audio" },
                { type: "file-url", url: "https://example.com/f", mediaType: "image" },
                { type: "image-url", url: "https://example.com/i", mediaType: "image/png" },
                { type: "custom", providerOptions: { openai: { a: 1 } } },
              ],
            },
          },
        ],
      },
    ],
  },
  {
    name: "older calls and results",
    wire: [
      {
        role: "assistant",
        content: [{ type: "tool-call", toolCallId: "c", toolName: "f", args: { a: 1 } }],
        id: "msg-1",
      },
      {
        role: "tool",
        content: [
          { type: "tool-result", toolCallId: "c", toolName: "f", result: { b: 2 }, isError: true },
          { type: "tool-result", toolCallId: "d", toolName: "f", result: "x" },
        ],
      },
    ],
  },
  {
    name: "calls with missing fields",
    wire: [
      {
        role: "assistant",
        content: [
          { type: "tool-call", toolCallId: "", toolName: "f", input: null },
          { type: "tool-call", toolCallId: "c", toolName: "f" },
          { type: "tool-call", toolCallId: "c", toolName: "f", input: "free", providerExecuted: false },
          { type: "tool-call", toolName: "f", input: [1] },
          { type: "tool-call", toolCallId: "d" },
        ],
      },
      {
        role: "tool",
        content: [{ type: "tool-result", toolCallId: "c", toolName: "", output: { type: "text", value: "x" } }],
      },
    ],
  },
  {
    name: "unknown roles, parts and fields",
    wire: [
      { role: "critic", content: [{ type: "text", text: "Bad.", tone: "harsh" }], mood: null },
      { role: "assistant", content: [{ type: "hologram", depth: 3 }, { text: "untyped" }, { type: "text" }] },
      { role: "user", content: [], $form: { a: 1 } },
    ],
  },
];

export const samples: MessageSample[] = [...plainSamples, ...unusualSamples];
