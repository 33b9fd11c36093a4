// Generated canonical requests: conversations as agents have them, tools, settings. Without residue, as a person or a
// program would write them by hand.
import fc from "fast-check";
import type { Message } from "../../src/model/message.ts";
import type { Part, ToolCallPart, ToolResultPart } from "../../src/model/parts.ts";
import type { OutputFormat, ReasoningSettings, ModelRequest, Tool } from "../../src/model/request.ts";

const sentence = fc.lorem({ maxCount: 6 });
const text = sentence.map((content): Part => ({ type: "text", text: content }));
const image = fc.constantFrom<Part>(
  { type: "image", url: "https://example.com/picture.png" },
  { type: "image", data: "iVBORw0KGgo=", mimeType: "image/png" },
);
const file = fc.constantFrom<Part>(
  { type: "file", data: "JVBERi0xLjQ=", mimeType: "application/pdf", name: "paper.pdf" },
  { type: "file", url: "https://example.com/paper.pdf", mimeType: "application/pdf" },
  { type: "file", text: "A plain document.", mimeType: "text/plain", name: "note.txt" },
);
const reasoning = fc
  .tuple(sentence, fc.constantFrom("anthropic", "gemini", "openai-responses"))
  .map(([content, dialect]): Part => {
    const kind = dialect === "openai-responses" ? "encrypted" : "signature";
    return { type: "reasoning", text: content, seals: [{ dialect, kind, value: "c2VhbGVkIHdpdGggd2F4" }] };
  });

const names = ["get_weather", "search", "calendar.create", "an odd tool: name"] as const;
const input = fc.oneof(
  fc.record({ city: sentence, days: fc.integer({ min: 0, max: 9 }) }, { noNullPrototype: true }),
  fc.constant({}),
);
const output = fc.oneof(
  sentence,
  fc.record({ ok: fc.boolean(), found: fc.array(sentence, { maxLength: 2 }) }, { noNullPrototype: true }),
);

interface Step {
  content: Part[];
  thought: Part[];
  calls: { name: (typeof names)[number]; input: unknown; output: unknown; isError: boolean }[];
  isShuffled: boolean;
  later: "system" | "developer" | undefined;
}

const step: fc.Arbitrary<Step> = fc.record({
  content: fc.array(fc.oneof({ weight: 4, arbitrary: text }, image, file), { minLength: 1, maxLength: 3 }),
  thought: fc.array(reasoning, { maxLength: 1 }),
  calls: fc.array(fc.record({ name: fc.constantFrom(...names), input, output, isError: fc.boolean() }), {
    maxLength: 3,
  }),
  isShuffled: fc.boolean(),
  later: fc.constantFrom(undefined, undefined, undefined, "system" as const, "developer" as const),
});

/** A round: a user message, then reasoning, calls and an answer of the assistant. */
function round({ content, thought, calls, isShuffled, later }: Step, at: number): Message[] {
  const id = (call: number): string => `call_${at}_${call}`;
  const callParts = calls.map(({ name, ...call }, index): ToolCallPart => ({
    type: "tool-call",
    toolCallId: id(index),
    toolName: name,
    input: call.input,
  }));
  const results = calls.map(({ name, ...call }, index): ToolResultPart => ({
    type: "tool-result",
    toolCallId: id(index),
    toolName: name,
    isError: call.isError,
    output: call.output,
  }));
  const messages: Message[] = [];
  if (later !== undefined && at > 0) messages.push({ role: later, parts: [{ type: "text", text: `Note ${at}.` }] });
  messages.push({ role: "user", parts: content });
  if (callParts.length > 0) {
    messages.push({ role: "assistant", parts: [...thought, ...callParts] });
    messages.push({ role: "tool", parts: isShuffled ? results.reverse() : results });
  }
  return [...messages, { role: "assistant", parts: [{ type: "text", text: `Answer ${at}.` }] }];
}

const tool: fc.Arbitrary<Tool> = fc.record(
  {
    type: fc.constant("function" as const),
    name: fc.constantFrom(...names),
    description: sentence,
    inputSchema: fc.constantFrom(
      { type: "object", properties: { city: { type: "string" } }, required: ["city"] },
      {
        type: "object",
        properties: { days: { type: ["integer", "null"], exclusiveMinimum: 0 } },
        additionalProperties: false,
      },
    ),
    strict: fc.boolean(),
  },
  { requiredKeys: ["type", "name"], noNullPrototype: true },
);

/** Any request that a caller might write. */
export const request: fc.Arbitrary<ModelRequest> = fc
  .record(
    {
      model: fc.constantFrom("a-model", "gemini-3-pro", "claude-opus"),
      head: fc.array(fc.tuple(fc.constantFrom("system" as const, "developer" as const), sentence), { maxLength: 2 }),
      steps: fc.array(step, { minLength: 1, maxLength: 3 }),
      tools: fc.uniqueArray(tool, { minLength: 1, maxLength: 3, selector: ({ name }) => name }),
      toolChoice: fc.constantFrom("auto" as const, "none" as const, "required" as const),
      parallelToolCalls: fc.boolean(),
      output: fc.constantFrom<OutputFormat[]>(
        { type: "text" },
        { type: "json" },
        {
          type: "json-schema",
          name: "answer",
          schema: { type: "object", properties: { a: { type: "string" } } },
        },
      ),
      sampling: fc.record(
        {
          temperature: fc.constantFrom(0, 0.5, 1),
          topP: fc.constantFrom(0.1, 0.9),
          topK: fc.constantFrom(5, 40),
          seed: fc.constantFrom(7),
          presencePenalty: fc.constantFrom(0.25),
          frequencyPenalty: fc.constantFrom(-0.25),
          stop: fc.constantFrom<string[][]>(["END"], ["a", "b"]),
          maxOutputTokens: fc.constantFrom(2048, 8192),
          logprobs: fc.boolean(),
          topLogprobs: fc.constantFrom(3),
          n: fc.constantFrom(1, 2),
        },
        { requiredKeys: [], noNullPrototype: true },
      ),
      reasoning: fc.constantFrom<ReasoningSettings[]>(
        { effort: "high" },
        { effort: "none" },
        { budget: 1500 },
        { effort: "low", summary: "auto" },
      ),
      metadata: fc.constantFrom<Record<string, unknown>[]>({ user_id: "u_1" }, { trace: "t_1" }),
      stream: fc.boolean(),
    },
    { requiredKeys: ["head", "steps"], noNullPrototype: true },
  )
  .map(({ head, steps, ...rest }) => ({
    ...rest,
    messages: [
      ...head.map(([role, content]): Message => ({ role, parts: [{ type: "text", text: content }] })),
      // The last round has no answer yet.
      ...steps.flatMap(round).slice(0, -1),
    ],
  }));
