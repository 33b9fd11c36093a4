// The UI message stream: over HTTP to the SDK's transport, framing events and metadata, approvals, failures.
import { DefaultChatTransport } from "ai";
import type { UIMessage, UIMessageChunk } from "ai";
import { describe, expect, test } from "vitest";
import { aiSdkUi } from "../../../src/dialects/ai-sdk-ui/index.ts";
import type { Delta } from "../../../src/index.ts";
import { assembleRun, AssemblyError, checkDeltas, transcode } from "../../../src/index.ts";
import { readChunks, decodeStream, encodeStream, readMessage } from "./stream-helpers.ts";

const ui = aiSdkUi();

const start = (requestId: string): Delta => ({
  kind: "start",
  payload: { modelId: "", requestId, contractVersion: 1 },
});

/** Deltas of an agent's run: an answer with a tool call, its result, and the last answer. */
const agentRun: Delta[] = [
  start(""),
  { kind: "thinking", payload: { textDelta: "Hm.", partKey: "r" } },
  { kind: "seal", payload: { seal: { dialect: "anthropic", kind: "signature", value: "sig" }, partKey: "r" } },
  { kind: "tool_call_start", payload: { toolCallId: "c", toolName: "weather" } },
  { kind: "tool_call_args", payload: { toolCallId: "c", argsTextDelta: '{"city":' } },
  { kind: "tool_call_args", payload: { toolCallId: "c", argsTextDelta: '"Corinth"}' } },
  { kind: "tool_call_end", payload: { toolCallId: "c" } },
  { kind: "done", payload: { finishReason: "tool-calls" } },
  {
    kind: "part",
    payload: {
      role: "tool",
      value: { type: "tool-result", toolCallId: "c", toolName: "weather", isError: false, output: { celsius: 31 } },
    },
  },
  start(""),
  { kind: "text", payload: { textDelta: "31 " } },
  { kind: "text", payload: { textDelta: "degrees." } },
  { kind: "done", payload: { finishReason: "stop" } },
];

const agentMessage: UIMessage = {
  id: "",
  role: "assistant",
  parts: [
    { type: "step-start" },
    {
      type: "reasoning",
      id: "r",
      text: "Hm.",
      state: "done",
      providerMetadata: { anthropic: { signature: "sig" } },
    },
    {
      type: "tool-weather",
      toolCallId: "c",
      state: "output-available",
      input: { city: "Corinth" },
      output: { celsius: 31 },
    },
    { type: "step-start" },
    { type: "text", text: "31 degrees.", state: "done" },
  ],
};

test("the answers of a run are the steps of one message, which ends once", async () => {
  const events = encodeStream(ui, agentRun);
  const types = events.map(({ data }) => (data === "[DONE]" ? data : (data as UIMessageChunk).type));
  expect(types.filter((type) => !type.startsWith("tool-") && !type.includes("-delta"))).toStrictEqual([
    "start",
    "start-step",
    "reasoning-start",
    "reasoning-end",
    "finish-step",
    "start-step",
    "text-start",
    "text-end",
    "finish-step",
    "finish",
    "[DONE]",
  ]);
  expect(await readMessage(readChunks(events))).toStrictEqual(agentMessage);
});

test("the SDK's transport decodes the encoded bytes", async () => {
  const body = encodeStream(ui, agentRun)
    .map((event) => ui.formatEvent(event))
    .join("");
  const transport = new DefaultChatTransport({
    fetch: () => Promise.resolve(new Response(body, { headers: { "x-vercel-ai-ui-message-stream": "v1" } })),
  });
  const stream = await transport.sendMessages({
    trigger: "submit-message",
    chatId: "chat",
    messageId: undefined,
    messages: [],
    abortSignal: undefined,
  });
  const chunks: UIMessageChunk[] = [];
  const reader = stream.getReader();
  for (let read = await reader.read(); !read.done; read = await reader.read()) chunks.push(read.value);
  expect(await readMessage(chunks)).toStrictEqual(agentMessage);
});

test("the stream of a provider becomes one that useChat reads", async () => {
  const events = [
    {
      type: "message_start",
      message: {
        id: "msg_1",
        type: "message",
        role: "assistant",
        model: "m",
        content: [],
        usage: { input_tokens: 1, output_tokens: 1 },
      },
    },
    { type: "content_block_start", index: 0, content_block: { type: "text", text: "" } },
    { type: "content_block_delta", index: 0, delta: { type: "text_delta", text: "Hello." } },
    { type: "content_block_stop", index: 0 },
    { type: "message_delta", delta: { stop_reason: "end_turn" }, usage: { output_tokens: 2 } },
    { type: "message_stop" },
  ];
  const transcoder = transcode("anthropic", ui);
  const bytes = events.map((data) => `event: ${data.type}\ndata: ${JSON.stringify(data)}\n\n`);
  const text = [...bytes.map((each) => transcoder.push(each)), transcoder.end()].join("");
  const chunks = text.split("\n\n").flatMap((line) => {
    const data = line.slice("data: ".length);
    return data === "" || data === "[DONE]" ? [] : [JSON.parse(data) as UIMessageChunk];
  });
  expect(text.endsWith("data: [DONE]\n\n")).toBe(true);
  expect((await readMessage(chunks))?.parts).toStrictEqual([
    { type: "step-start" },
    { type: "text", text: "Hello.", state: "done" },
  ]);
});

describe("events that frame a message", () => {
  const text: UIMessageChunk[] = [
    { type: "text-start", id: "t" },
    { type: "text-delta", id: "t", delta: "x" },
    { type: "text-end", id: "t" },
  ];
  const rows: [sentence: string, chunks: UIMessageChunk[]][] = [
    [
      "an id and metadata, which grow",
      [
        { type: "start", messageId: "m", messageMetadata: { a: { b: 1 } } },
        { type: "start-step" },
        ...text,
        { type: "message-metadata", messageMetadata: { a: { c: 2 } } },
        { type: "finish-step" },
        { type: "start-step" },
        ...text,
        { type: "finish-step" },
        { type: "finish", finishReason: "stop", messageMetadata: { d: 3 } },
      ],
    ],
    ["no step at all", [{ type: "start", messageId: "m" }, ...text, { type: "finish" }]],
    [
      "data parts with updates, and parts for display",
      [
        { type: "start", messageId: "m" },
        { type: "start-step" },
        { type: "data-chart", id: "1", data: [1] },
        { type: "source-url", sourceId: "s", url: "https://example.com" },
        ...text,
        { type: "reasoning-file", url: "data:image/png;base64,aGk=", mediaType: "image/png" },
        { type: "finish-step" },
        { type: "finish", finishReason: "length" },
      ],
    ],
    [
      "an approval, and a denial",
      [
        { type: "start", messageId: "m" },
        { type: "start-step" },
        { type: "tool-input-available", toolCallId: "a", toolName: "f", input: {} },
        {
          type: "tool-approval-request",
          approvalId: "x",
          toolCallId: "a",
          reason: "It deletes.",
          approvalDescriptor: 1,
        },
        { type: "tool-input-available", toolCallId: "b", toolName: "f", input: {} },
        { type: "tool-approval-request", approvalId: "y", toolCallId: "b" },
        { type: "tool-approval-response", approvalId: "y", approved: false, reason: "No." },
        { type: "tool-output-denied", toolCallId: "b" },
        { type: "finish-step" },
        { type: "finish", finishReason: "tool-calls" },
      ],
    ],
  ];
  test.each(rows)("%s", async (_, chunks) => {
    const deltas = decodeStream(ui, [...chunks, "[DONE]"]);
    expect(checkDeltas(deltas)).toStrictEqual([]);
    const expected = await readMessage(chunks);
    expect(await readMessage(readChunks(encodeStream(ui, deltas)))).toStrictEqual(expected);
    const { wire, losses } = ui.encodeMessages(assembleRun(deltas).messages);
    expect(wire).toStrictEqual([expected]);
    expect(losses.filter(({ level }) => level !== "note")).toStrictEqual([]);
  });

  test("results for calls of an earlier run are passed on", () => {
    const output: UIMessageChunk = { type: "tool-output-available", toolCallId: "earlier", output: 1 };
    const chunks: UIMessageChunk[] = [{ type: "start" }, output, { type: "start-step" }, ...text, { type: "finish" }];
    const deltas = decodeStream(ui, chunks);
    expect(checkDeltas(deltas)).toStrictEqual([]);
    expect(readChunks(encodeStream(ui, deltas))).toContainEqual(output);
  });

  test("B43: events that are not parts are stored and encoded again", () => {
    const odd = [
      { type: "data-progress", data: 1, transient: true },
      { type: "hologram", depth: 3 },
    ];
    const deltas = decodeStream(ui, [
      { type: "start" },
      { type: "start-step" },
      ...odd,
      ...text,
      { type: "finish-step" },
      "[DONE]",
    ]);
    expect(encodeStream(ui, deltas).map(({ data }) => data)).toEqual(expect.arrayContaining(odd));
  });

  test("a reset step becomes an interrupted answer", () => {
    const chunks = [
      { type: "start-step" },
      ...text,
      { type: "reset-step" },
      ...text,
      { type: "finish-step" },
      { type: "finish" },
    ];
    const { messages } = assembleRun(decodeStream(ui, chunks));
    expect(messages.map(({ metadata }) => metadata?.interrupted)).toStrictEqual([true, undefined]);
  });
});

describe("failures", () => {
  const rows: [sentence: string, chunk: UIMessageChunk, errorCode: string][] = [
    ["B72: an error", { type: "error", errorText: "It broke." }, "unknown"],
    ["an error whose message states its kind", { type: "error", errorText: "prompt is too long" }, "context-length"],
    ["an abort with its reason", { type: "abort", reason: "The user left." }, "aborted"],
    ["an abort", { type: "abort" }, "aborted"],
  ];
  test.each(rows)("%s ends the stream, and is encoded unchanged", (_, chunk, errorCode) => {
    const deltas = decodeStream(ui, [
      { type: "start" },
      { type: "start-step" },
      { type: "text-start", id: "t" },
      chunk,
    ]);
    expect(checkDeltas(deltas)).toStrictEqual([]);
    expect(deltas.at(-1)).toMatchObject({ kind: "error", payload: { errorCode } });
    expect(() => assembleRun(deltas)).toThrow(AssemblyError);
    const events = encodeStream(ui, deltas).map(({ data }) => data);
    expect(events.slice(-2)).toStrictEqual([chunk, "[DONE]"]);
  });

  test("B86: a stream that ends inside an answer is truncated", () => {
    const types = encodeStream(ui, agentRun.slice(0, 3)).map(({ data }) => (data as UIMessageChunk).type);
    expect(types.slice(-2)).toStrictEqual(["error", undefined]);
    expect(encodeStream(ui, [])).toStrictEqual([{ data: "[DONE]" }]);
  });

  test("parts that were complete before the failure are encoded", () => {
    const sealed: Delta[] = [
      ...agentRun.slice(0, 7),
      { kind: "error", payload: { errorCode: "server", message: "It broke." } },
    ];
    const chunks = readChunks(encodeStream(ui, sealed));
    expect(chunks).toContainEqual({
      type: "reasoning-end",
      id: "r",
      providerMetadata: { anthropic: { signature: "sig" } },
    });
    expect(chunks.slice(-2)).toStrictEqual([
      { type: "tool-input-available", toolCallId: "c", toolName: "weather", input: { city: "Corinth" } },
      { type: "error", errorText: "It broke." },
    ]);
  });

  test("no event follows a failure", () => {
    const late = [{ type: "text-delta", id: "t", delta: "x" }, { type: "start-step" }, { type: "finish" }, "[DONE]"];
    expect(decodeStream(ui, [{ type: "error", errorText: "x" }, ...late]).map(({ kind }) => kind)).toStrictEqual([
      "start",
      "error",
    ]);
  });
});
