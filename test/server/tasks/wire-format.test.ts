// The JSON of tasks, literally: messages, events and queued messages as clients rely on them.
import { describe, expect, test } from "vitest";
import { assistant, type Message, type StoredMessage, system, toolResult, user } from "../../../src/model/index.ts";
import { encodeEntry, type TaskEntry } from "../../../src/server/tasks/journal-entries.ts";
import {
  collectToolCalls,
  encodePendingMessage,
  toTaskEvents,
  parseEventId,
} from "../../../src/server/tasks/task-events.ts";
import { decodeInputMessage, encodeMessage } from "../../../src/server/tasks/wire-message.ts";

const call = {
  type: "tool-call",
  toolCallId: "call_123",
  toolName: "read_file",
  input: { path: "README.md" },
} as const;
const wireCall = {
  id: "call_123",
  type: "function",
  function: { name: "read_file", arguments: '{"path":"README.md"}' },
};
const inspecting: Message = assistant([{ type: "text", text: "Let me inspect the file first." }, call]);
const usage = { inputTokens: 12, outputTokens: 7, totalTokens: 19, cacheReadTokens: 4 };

function stored(message: Message): StoredMessage {
  const metadata = { schemaVersion: 1, ...message.metadata };
  return { ...message, id: "01M", parentMessageId: null, createdAt: "2026-01-02T03:04:05.000Z", metadata };
}

describe("messages", () => {
  test.each<[string, Message, object[]]>([
    [
      "a system message",
      system("You are a helpful assistant."),
      [{ role: "system", content: "You are a helpful assistant." }],
    ],
    ["a developer message", { ...system("Be brief."), role: "developer" }, [{ role: "system", content: "Be brief." }]],
    ["a user message", user("Write a unit test for foo()"), [{ role: "user", content: "Write a unit test for foo()" }]],
    [
      "an assistant message without tools",
      assistant("Here is a test."),
      [{ role: "assistant", content: "Here is a test.", tool_calls: [] }],
    ],
    [
      "an assistant message with a call",
      inspecting,
      [{ role: "assistant", content: "Let me inspect the file first.", tool_calls: [wireCall] }],
    ],
    ["a call without text", assistant([call]), [{ role: "assistant", content: "", tool_calls: [wireCall] }]],
    [
      "a refusal",
      assistant([{ type: "refusal", text: "I will not." }]),
      [{ role: "assistant", content: "I will not.", tool_calls: [] }],
    ],
    ["a tool's output", toolResult(call, "…text…"), [{ role: "tool", content: "…text…", tool_call_id: "call_123" }]],
  ])("%s is encoded in the wire format", (_, message, wire) => {
    expect(encodeMessage(message)).toStrictEqual(wire);
  });

  test("several results in one message become several messages", () => {
    const both = {
      ...toolResult(call, "a"),
      parts: [...toolResult(call, "a").parts, ...toolResult({ ...call, toolCallId: "call_2" }, { b: 1 }).parts],
    };
    expect(encodeMessage(both)).toStrictEqual([
      { role: "tool", content: "a", tool_call_id: "call_123" },
      { role: "tool", content: '{"b":1}', tool_call_id: "call_2" },
    ]);
  });

  test.each<[string, unknown, string]>([
    ["a text", "Hello.", "Hello."],
    ["a message", { role: "user", content: "Hello." }, "Hello."],
    ["a message without a role", { content: "Hello." }, "Hello."],
    ["a list of parts", { role: "user", content: [{ type: "text", text: "Hello." }] }, "Hello."],
    ["parts without a type", { role: "user", content: [{ text: "Hello." }] }, "Hello."],
  ])("%s is accepted", (_, wire, text) => {
    const { role, parts } = decodeInputMessage(wire);
    expect({ role, parts }).toStrictEqual(user(text));
  });

  test("a list of parts is returned unchanged", () => {
    const wire = { role: "user", content: [{ type: "text", text: "Hello." }] };
    expect(encodeMessage(decodeInputMessage(wire))).toStrictEqual([wire]);
  });

  test.each<[string, unknown, string]>([
    ["no message", undefined, "/message"],
    ["a number", 7, "/message"],
    ["a message of the assistant", { role: "assistant", content: "Hello." }, "/message/role"],
    ["an unknown role", { role: "poet", content: "Hello." }, "/message/role"],
    ["an empty text", { role: "user", content: "" }, "/message"],
    ["content of a wrong type", { role: "user", content: 7 }, "/message/content"],
  ])("%s is rejected, and the error has the path", (_, wire, path) => {
    expect(() => decodeInputMessage(wire)).toThrow(expect.objectContaining({ code: "invalid-request", path }));
  });
});

describe("events", () => {
  test("a message of the user is added", () => {
    const events = toTaskEvents({ cursor: "01M", type: "message", message: stored(user("Hello.")) }, new Map());
    expect(events).toStrictEqual([
      { id: "01M", event: { msg: "MessageAdded", message: { role: "user", content: "Hello." } } },
    ]);
  });

  test("an answer is added and completes a request, with its usage", () => {
    const message = stored({ ...inspecting, metadata: { usage } });
    expect(toTaskEvents({ cursor: "01M", type: "message", message }, new Map())).toStrictEqual([
      {
        id: "01M-0",
        event: {
          msg: "MessageAdded",
          message: { role: "assistant", content: "Let me inspect the file first.", tool_calls: [wireCall] },
        },
      },
      {
        id: "01M",
        event: {
          msg: "RequestCompleted",
          usage: [
            {
              input_tokens: 12,
              output_tokens: 7,
              total_tokens: 19,
              cache_read_tokens: 4,
              prompt_tokens: 12,
              completion_tokens: 7,
              prompt_tokens_details: { cached_tokens: 4 },
            },
          ],
          message: { role: "assistant", content: "Let me inspect the file first.", tool_calls: [wireCall] },
        },
      },
    ]);
  });

  test("an answer without usage and with several texts is flattened, and its usage is null", () => {
    const message = stored(
      assistant([
        { type: "text", text: "One. " },
        { type: "text", text: "Two." },
      ]),
    );
    const completed = toTaskEvents({ cursor: "01M", type: "message", message }, new Map()).at(-1)?.event;
    expect(completed).toStrictEqual({
      msg: "RequestCompleted",
      usage: null,
      message: { role: "assistant", content: "One. Two.", tool_calls: [] },
    });
  });

  test("a tool result names its call and whether it failed", () => {
    const parts = [
      ...toolResult(call, { lines: 3 }).parts,
      ...toolResult({ ...call, toolCallId: "call_2" }, "No.", { isError: true }).parts,
    ];
    const events = toTaskEvents(
      { cursor: "01M", type: "message", message: stored({ role: "tool", parts }) },
      collectToolCalls(inspecting),
    );
    expect(events).toStrictEqual([
      {
        id: "01M-0",
        event: {
          msg: "PostToolCall",
          tool_call: wireCall,
          name: "read_file",
          text: '{"lines":3}',
          result: { lines: 3 },
        },
      },
      {
        id: "01M-1",
        event: { msg: "MessageAdded", message: { role: "tool", content: '{"lines":3}', tool_call_id: "call_123" } },
      },
      {
        id: "01M-2",
        event: {
          msg: "PostToolCall",
          tool_call: { id: "call_2", type: "function", function: { name: "read_file", arguments: "{}" } },
          name: "read_file",
          text: "No.",
          error: "No.",
        },
      },
      { id: "01M", event: { msg: "MessageAdded", message: { role: "tool", content: "No.", tool_call_id: "call_2" } } },
    ]);
  });

  test("B90: an interrupted turn is not part of the conversation", () => {
    const message = stored({ ...assistant("I was jus"), metadata: { interrupted: true } });
    expect(toTaskEvents({ cursor: "01M", type: "message", message }, new Map())).toStrictEqual([]);
  });

  const pending = { id: "q1", message: user("And then?") };
  const waiting = { id: "q1", message: { role: "user", content: "And then?" } };
  test.each<[TaskEntry, object | undefined]>([
    [{ type: "began", id: "q1" }, { msg: "PreConversation" }],
    [
      { type: "ended", reason: "done" },
      { msg: "PostConversation", reason: "done" },
    ],
    [
      { type: "queued", mode: "steer", ...pending },
      { msg: "MessageQueued", ...waiting, mode: "steer" },
    ],
    [
      { type: "unqueued", id: "q1", said: true },
      { msg: "MessageUnqueued", id: "q1", said: true },
    ],
    [
      { type: "calling", toolCallId: "call_123", runId: "r", call: wireCall },
      { msg: "PreToolCall", tool_call: wireCall },
    ],
    [
      { type: "calling", toolCallId: "call_123", runId: "r", call: wireCall, approval: true },
      { msg: "PreToolCall", tool_call: wireCall, approval: "ask" },
    ],
    [
      { type: "decided", toolCallId: "call_123", approve: true },
      { msg: "ToolCallDecided", tool_call_id: "call_123", approve: true },
    ],
    [{ type: "cancel", id: "c1" }, undefined],
    [
      { type: "cancelled", pending: [pending] },
      { msg: "Cancelled", pending_messages: [waiting] },
    ],
    [
      { type: "failed", error: { code: "overloaded", message: "Later." } },
      { msg: "Failed", error: { code: "overloaded", message: "Later." } },
    ],
  ])("the entry %j becomes an event", (entry, event) => {
    const events = toTaskEvents({ cursor: "01E", type: "entry", entry: encodeEntry(entry) }, new Map());
    expect(events).toStrictEqual(event === undefined ? [] : [{ id: "01E", event }]);
  });

  test("journal entries of other modules are not events", () => {
    expect(toTaskEvents({ cursor: "01E", type: "entry", entry: { type: "note" } }, new Map())).toStrictEqual([]);
  });

  test("a queued message has its id beside it", () => {
    expect(encodePendingMessage(pending)).toStrictEqual(waiting);
  });

  test.each([
    ["01M", { cursor: "01M" }],
    ["01M.7", { cursor: "01M.7" }],
    ["01M-0", { cursor: "01M", seen: 1 }],
    ["now", { cursor: "now" }],
  ])("the event id %s is parsed", (id, position) => {
    expect(parseEventId(id)).toStrictEqual(position);
  });
});
