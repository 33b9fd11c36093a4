// Tests answers that are sent back as history, to their own provider and to others.
import { describe, expect, test } from "vitest";
import { openaiChat } from "../../../src/dialects/openai-chat/index.ts";
import type { Message } from "../../../src/model/message.ts";
import { toolResult, user } from "../../../src/model/message.ts";

const dialect = openaiChat();
const answer = { role: "assistant", content: "Hi.", refusal: null, annotations: [] };
const response = (message: object): object => ({
  id: "x",
  object: "chat.completion",
  created: 1700000000,
  model: "m",
  choices: [{ index: 0, message, finish_reason: "stop", logprobs: null }],
});

describe("an answer in the next request", () => {
  const replayed = (message: object, ...more: Message[]): unknown => {
    const { message: read } = dialect.decodeResponse(response(message));
    const call = read.parts.find((part) => part.type === "tool-call");
    const messages = [user("Hi."), read, ...(call === undefined ? more : [toolResult(call, "ok")])];
    const { wire, losses } = dialect.encodeRequest({ messages });
    return { sent: (wire as { messages: object[] }).messages.slice(1), losses: losses.map(({ code }) => code) };
  };

  test.each([
    ["as OpenAI has it", { expires_at: 1700000000, data: "aGk=", transcript: "Hi" }, 3],
    ["without its date", { data: "aGk=", transcript: "Hi" }, 2],
    ["with an unknown field", { expires_at: 1700000000, data: "aGk=", transcript: "Hi", voice: "ash" }, 4],
  ])("a request repeats audio by its id only, %s", (_, audio, fields) => {
    expect(replayed({ ...answer, content: null, audio: { id: "audio_1", ...audio } }, user("And?"))).toStrictEqual({
      sent: [
        { role: "assistant", content: null, audio: { id: "audio_1" } },
        { role: "user", content: "And?" },
      ],
      losses: Array.from({ length: fields }, () => "audio-sent-by-id"),
    });
  });

  test("B24: the result of a deprecated function_call has the role function", () => {
    const function_call = { name: "f", arguments: "{}" };
    expect(replayed({ ...answer, content: null, function_call })).toStrictEqual({
      sent: [
        { role: "assistant", content: null, function_call },
        { role: "function", name: "f", content: "ok" },
      ],
      losses: [],
    });
  });

  test("a result that names the made id of a function_call keeps that id", () => {
    const wire = {
      messages: [
        { role: "assistant", content: null, function_call: { name: "f", arguments: "{}" } },
        { role: "tool", tool_call_id: "call_1", content: "ok" },
        { role: "tool", tool_call_id: "", content: "ok" },
      ],
    };
    expect(dialect.encodeRequest(dialect.decodeRequest(wire), { repair: false }).wire).toStrictEqual(wire);
  });
});

describe("B5: an opaque part returns to its issuer", () => {
  const rows: [place: string, message: object, field: string][] = [
    ["among the content", { content: [{ type: "aura" }] }, "content"],
    ["among the calls", { content: null, tool_calls: [{ type: "aura" }] }, "tool_calls"],
    ["among the reasoning", { content: null, reasoning_details: [{ type: "aura" }] }, "reasoning_details"],
  ];
  test.each(rows)("%s", (_, message, field) => {
    const wire = {
      messages: [
        { role: "assistant", ...message },
        { role: "user", content: "And?" },
      ],
    };
    const request = openaiChat({ provider: "openai" }).decodeRequest(wire);
    for (const provider of ["openai", undefined]) {
      const { wire: back, losses } = openaiChat(provider === undefined ? {} : { provider }).encodeRequest(request);
      expect({ back, losses }).toStrictEqual({ back: wire, losses: [] });
    }
    const { wire: elsewhere, losses } = openaiChat({ provider: "groq" }).encodeRequest(request);
    expect(JSON.stringify(elsewhere)).not.toContain("aura");
    expect(elsewhere).not.toHaveProperty(["messages", 0, field, 0]);
    expect(losses.map(({ code }) => code)).toStrictEqual(["opaque-not-portable"]);
  });

  test.each([
    ["beside results", [toolResult({ toolCallId: "a", toolName: "f" }, "ok").parts[0]], 3],
    ["alone", [], 2],
  ])("parts of a tool message that only another dialect has become no user message, %s", (_, results, count) => {
    const call = { type: "tool-call", toolCallId: "a", toolName: "f", input: {} } as const;
    const approval = { type: "opaque", dialect: "ai-sdk-model", value: { type: "tool-approval-response" } } as const;
    const messages: Message[] = [
      user("Hi."),
      { role: "assistant", parts: results.length > 0 ? [call] : [{ type: "text", text: "May I?" }] },
      { role: "tool", parts: [...results.filter((part) => part !== undefined), approval] },
    ];
    const { wire, losses } = dialect.encodeRequest({ messages });
    expect(wire).toHaveProperty(["messages", "length"], count);
    expect(losses.map(({ code }) => code)).toContain("opaque-not-portable");
  });

  test("encoding a bare list reports that the issuer is lost", () => {
    const messages = openaiChat({ provider: "openai" }).decodeMessages([{ role: "user", content: [{ type: "aura" }] }]);
    const { losses } = dialect.encodeMessages(messages);
    expect(losses.map(({ code, path }) => `${code} ${path}`)).toStrictEqual(["metadata-dropped /0/parts/0/issuer"]);
  });
});
