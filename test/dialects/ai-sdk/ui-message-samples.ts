// Hand-written UI messages of the AI SDK: every part in every state, several steps, unusual and unknown parts.
import type { MessageSample } from "../../../src/testkit/index.ts";

const PNG = "iVBORw0KGgo=";
const step = { type: "step-start" };
const done = (text: string): object => ({ type: "text", text, state: "done" });

export const plainSamples: MessageSample[] = [
  {
    name: "a run of two steps",
    wire: [
      { id: "m0", role: "system", parts: [{ type: "text", text: "Answer briefly." }] },
      { id: "m1", role: "user", parts: [{ type: "text", text: "How warm is it in Corinth?" }] },
      {
        id: "m2",
        role: "assistant",
        metadata: { mood: "calm", model: "small" },
        parts: [
          step,
          { type: "reasoning", text: "A tool knows.", state: "done" },
          done("Let me look."),
          {
            type: "tool-weather",
            toolCallId: "call_1",
            state: "output-available",
            input: { city: "Corinth" },
            output: { celsius: 31 },
          },
          { type: "tool-clock", toolCallId: "call_2", state: "output-error", input: {}, errorText: "No clock." },
          step,
          done("31 degrees."),
        ],
      },
      { id: "m3", role: "user", parts: [{ type: "text", text: "Thanks." }] },
    ],
  },
  {
    name: "files",
    wire: [
      {
        id: "m",
        role: "user",
        parts: [
          { type: "file", url: "https://example.com/a.png", mediaType: "image/png" },
          { type: "file", url: `data:image/png;base64,${PNG}`, mediaType: "image/png", filename: "a.png" },
          { type: "file", url: "", mediaType: "application/pdf", providerReference: { openai: "file-1" } },
          { type: "file", url: "https://example.com/a", mediaType: "audio" },
        ],
      },
    ],
  },
  {
    name: "seals",
    wire: [
      {
        id: "m",
        role: "assistant",
        parts: [
          step,
          { type: "reasoning", text: "Hm.", state: "done", providerMetadata: { anthropic: { signature: "sig" } } },
          { type: "reasoning", text: "", state: "done", providerMetadata: { anthropic: { redactedData: "x" } } },
          { ...done("Well."), providerMetadata: { openai: { itemId: "msg_1" } } },
          {
            type: "tool-look",
            toolCallId: "c",
            state: "output-available",
            input: {},
            output: "Seen.",
            callProviderMetadata: { google: { thoughtSignature: "ts" } },
            resultProviderMetadata: { openai: { itemId: "i" } },
          },
        ],
      },
    ],
  },
  {
    name: "sources and citations",
    wire: [
      {
        id: "m",
        role: "assistant",
        parts: [
          step,
          {
            ...done("As they say."),
            citations: [
              {
                source: {
                  type: "source",
                  sourceType: "url",
                  id: "https://example.com/a",
                  url: "https://example.com/a",
                },
                startIndex: 0,
                endIndex: 2,
                citedText: "they say",
              },
            ],
          },
          { type: "source-url", sourceId: "https://example.com/b", url: "https://example.com/b", title: "B" },
          { type: "source-document", sourceId: "C", mediaType: "text/plain", title: "C" },
        ],
      },
    ],
  },
  {
    name: "tools that the provider ran",
    wire: [
      {
        id: "m",
        role: "assistant",
        parts: [
          step,
          {
            type: "tool-web_search",
            toolCallId: "srv",
            state: "output-available",
            input: { query: "koine" },
            output: [{ url: "https://example.com" }],
            providerExecuted: true,
          },
          done("Found."),
        ],
      },
    ],
  },
];

const unusualSamples: MessageSample[] = [
  {
    name: "every state of a tool",
    wire: [
      {
        id: "m",
        role: "assistant",
        parts: [
          { type: "tool-f", toolCallId: "1", state: "input-streaming", input: { a: "b" }, rawInput: '{"a":"b' },
          { type: "tool-f", toolCallId: "2", state: "input-streaming" },
          {
            type: "tool-f",
            toolCallId: "3",
            state: "input-streaming",
            input: "fr",
            rawInput: "fr",
            inputEncoding: "text",
          },
          { type: "tool-f", toolCallId: "4", state: "input-available", input: null },
          { type: "tool-f", toolCallId: "5", state: "input-available" },
          {
            type: "tool-f",
            toolCallId: "6",
            state: "approval-requested",
            input: {},
            approval: {
              id: "a6",
              requestReason: "It deletes.",
              descriptor: { x: 1 },
              signature: "s",
              inputSchemaInput: 1,
            },
          },
          {
            type: "tool-f",
            toolCallId: "7",
            state: "approval-responded",
            input: {},
            approval: { id: "a7", approved: true, reason: "Go.", isAutomatic: true },
          },
          {
            type: "tool-f",
            toolCallId: "8",
            state: "output-denied",
            input: {},
            approval: { id: "a8", approved: false, reason: "Keep it." },
          },
          {
            type: "tool-f",
            toolCallId: "9",
            state: "output-denied",
            input: {},
            approval: { id: "a9", approved: false },
          },
          {
            type: "tool-f",
            toolCallId: "10",
            state: "output-available",
            input: { a: 1 },
            output: null,
            preliminary: true,
            approval: { id: "a10", approved: true },
            title: "Eff",
            toolMetadata: { icon: "f" },
          },
          { type: "tool-f", toolCallId: "11", state: "output-error", rawInput: "{bad", errorText: "Not JSON." },
          {
            type: "dynamic-tool",
            toolName: "g",
            dynamic: false,
            toolCallId: "12",
            state: "output-available",
            input: [1],
            output: { type: "content", value: [{ type: "text", text: "x" }, { type: "odd" }] },
            title: "Gee",
          },
          { type: "tool-f", toolCallId: "13", state: "output-available", input: {}, providerExecuted: false },
          {
            type: "tool-f",
            toolCallId: "14",
            state: "output-error",
            input: {},
            errorText: "Down.",
            providerExecuted: true,
            approval: { id: "a14", approved: true },
            callProviderMetadata: { openai: { itemId: "i", more: 1 } },
            resultProviderMetadata: { openai: {} },
          },
          { type: "tool-f", toolCallId: "15", state: "resting", input: {} },
          { type: "tool-f", toolCallId: "7", state: "output-available", input: {}, output: "The same id again." },
          { type: "tool-f", state: "input-available", input: {} },
        ],
      },
    ],
  },
  {
    name: "steps and messages in other orders",
    wire: [
      { id: "a", role: "assistant", parts: [] },
      { id: "b", role: "assistant", parts: [step, step, done("x"), step, done("y")] },
      {
        id: "c",
        role: "assistant",
        parts: [
          done("no step"),
          { type: "tool-f", toolCallId: "1", state: "output-available", input: {}, output: 1 },
          done("text behind the tool"),
          { ...step, note: 1 },
        ],
      },
      { id: "d", role: "assistant", parts: [step, done("a new message behind results")] },
      { role: "assistant", parts: [step] },
      { id: 7, role: "user", parts: [], createdAt: "today" },
    ],
  },
  {
    name: "texts in other states, and several reasoning parts of one item",
    wire: [
      {
        id: "m",
        role: "assistant",
        metadata: "a text",
        parts: [
          { type: "text", text: "no state" },
          { type: "text", text: "cut o", state: "streaming" },
          { type: "text", text: "odd", state: null, citations: [] },
          {
            type: "reasoning",
            id: "rs_1:0",
            text: "First.",
            state: "done",
            providerMetadata: { openai: { itemId: "rs_1" } },
          },
          {
            type: "reasoning",
            id: "rs_1:1",
            text: "Second.",
            state: "done",
            providerMetadata: { openai: { itemId: "rs_1", reasoningEncryptedContent: "enc" } },
          },
          { type: "reasoning", text: "x", providerMetadata: null },
        ],
      },
      { id: "u", role: "user", metadata: { usage: "much" }, parts: [{ type: "text", text: "x", state: "done" }] },
    ],
  },
  {
    name: "sources at other positions",
    wire: [
      {
        id: "m",
        role: "assistant",
        parts: [
          { type: "source-url", sourceId: "s0", url: "https://example.com/first" },
          done("x"),
          {
            type: "source-url",
            sourceId: "s1",
            url: "https://example.com/b",
            providerMetadata: { google: { groundingIndex: 1 } },
          },
          { type: "source-document", sourceId: "s2", mediaType: "application/pdf", title: "D", filename: "d.pdf" },
          { type: "source-url", url: "https://example.com/c" },
          { type: "reasoning", text: "Between.", state: "done" },
          { type: "source-url", sourceId: "s3", url: "https://example.com/d" },
          {
            ...done("y"),
            citations: [
              {
                source: {
                  type: "source",
                  sourceType: "document",
                  id: "d",
                  mediaType: "text/html",
                  title: "T",
                  filename: "f",
                },
              },
              {
                source: { type: "source", sourceType: "url", id: "u", url: "https://example.com" },
                startIndex: 1,
                odd: true,
              },
            ],
          },
          { ...done("z"), citations: [{ source: "odd" }] },
        ],
      },
    ],
  },
  {
    name: "unknown parts, and data parts",
    wire: [
      {
        id: "m",
        role: "assistant",
        parts: [
          step,
          { type: "data-chart", id: "1", data: { points: [1, 2] } },
          { type: "custom", kind: "openai.compaction", providerMetadata: { openai: { itemId: "c" } } },
          { type: "custom", kind: "xai.thing" },
          { type: "reasoning-file", mediaType: "image/png", url: "https://example.com/r" },
          { type: "steering-message", id: "s", parts: [{ type: "text", text: "Faster." }] },
          { type: "steering-message", id: "s", parts: [{ type: "text", text: "Faster." }], odd: 1 },
          { type: "hologram" },
          { text: "untyped" },
        ],
      },
      {
        id: "n",
        role: "critic",
        parts: [
          { type: "text", text: "Bad." },
          { type: "tool-f", toolCallId: "1" },
        ],
      },
      {
        id: "f",
        role: "user",
        parts: [
          { type: "file", url: `data:image/png;base64,${PNG}`, mediaType: "image" },
          { type: "file", url: "https://example.com", mediaType: "text/plain", providerReference: { a: "1", b: "2" } },
          { type: "file", url: "https://example.com" },
        ],
      },
    ],
  },
];

export const samples: MessageSample[] = [...plainSamples, ...unusualSamples];
