// AI SDK runs with rare events: approvals, preliminary results, providers with two keys, steering messages.
import type { ToolSet } from "ai";
import { experimental_createSteering as createSteering, tool } from "ai";
import { finish } from "./stream-helpers.ts";
import type { AiSdkRun } from "./runs.rows.ts";
import { anyObject, failingTool, call, input, signedReasoning, text, weather, textTool } from "./runs.rows.ts";

const preliminaryTool = tool({
  inputSchema: anyObject,
  async *execute() {
    yield await Promise.resolve("a");
    yield "ab";
    yield "abc";
  },
});
const underBothKeys = (fields: object): object => ({ amazonBedrock: fields, bedrock: fields });

/** A run in which the user sends a message while a tool runs. */
function createSteeredRun(): { tools: ToolSet; options: object } {
  const steering = createSteering();
  const echo = tool({
    inputSchema: anyObject,
    execute: () => {
      void steering.steer({ role: "user", content: "Be brief." });
      return "Done.";
    },
  });
  return { tools: { echo }, options: { experimental_steering: steering } };
}

export const rareRuns: AiSdkRun[] = [
  {
    name: "a preliminary result followed by the final one",
    steps: [
      [call("a", "growing", {}), call("b", "weather", { city: "Corinth" }), finish("tool-calls")],
      [...text("1", "Grown."), finish("stop")],
    ],
    tools: { growing: preliminaryTool, weather },
  },
  {
    name: "a provider's preliminary result, and a failed one",
    steps: [
      [
        call("img", "image_generation", {}, { providerExecuted: true, dynamic: true }),
        {
          type: "tool-result",
          toolCallId: "img",
          toolName: "image_generation",
          result: { part: 1 },
          preliminary: true,
        },
        {
          type: "tool-result",
          toolCallId: "img",
          toolName: "image_generation",
          result: { part: 2 },
          preliminary: true,
        },
        { type: "tool-result", toolCallId: "img", toolName: "image_generation", result: { whole: 3 } },
        call("srv", "web_search", { query: "x" }, { providerExecuted: true, dynamic: true }),
        {
          type: "tool-result",
          toolCallId: "srv",
          toolName: "web_search",
          result: { errorCode: "unavailable" },
          isError: true,
        },
        ...text("2", "No."),
        finish("stop"),
      ],
    ],
  },
  {
    name: "a call that a user must approve",
    steps: [[...text("1", "May I?"), call("a", "weather", { city: "Corinth" }), finish("tool-calls")]],
    tools: { weather },
    options: { toolApproval: { weather: { type: "user-approval", reason: "It costs." } } },
  },
  {
    name: "calls that are approved and denied without a user",
    knowsMore: true,
    steps: [
      [call("a", "weather", { city: "Corinth" }), call("b", "words", {}), finish("tool-calls")],
      [...text("1", "One of two."), finish("stop")],
    ],
    tools: { weather, words: textTool },
    options: { toolApproval: { weather: "approved", words: { type: "denied", reason: "Too long." } } },
  },
  {
    name: "reasoning of providers with two keys, in several parts",
    steps: [
      [
        { type: "reasoning-start", id: "0" },
        { type: "reasoning-delta", id: "0", delta: "One." },
        { type: "reasoning-delta", id: "0", delta: "", providerMetadata: underBothKeys({ signature: "s1" }) },
        { type: "reasoning-end", id: "0" },
        { type: "reasoning-start", id: "1" },
        { type: "reasoning-delta", id: "1", delta: "", providerMetadata: underBothKeys({ redactedData: "r" }) },
        { type: "reasoning-end", id: "1" },
        {
          type: "reasoning-start",
          id: "2",
          providerMetadata: { vertex: { thoughtSignature: "t" }, googleVertex: { thoughtSignature: "t" } },
        },
        { type: "reasoning-delta", id: "2", delta: "Two." },
        { type: "reasoning-end", id: "2" },
        ...signedReasoning("3", "Three.", "s3"),
        ...text("4", "Four."),
        call("a", "weather", {}, { providerMetadata: { googleVertex: { thoughtSignature: "only" } } }),
        finish("tool-calls"),
      ],
      [...signedReasoning("0", "Again.", "s4"), ...text("1", "Done."), finish("stop")],
    ],
    tools: { weather },
  },
  {
    name: "parallel tools in two steps, one of which fails",
    steps: [
      [
        ...input("a", "weather", "{}"),
        ...input("b", "broken", "{}"),
        call("a", "weather", {}),
        call("b", "broken", {}),
        ...text("1", "Then?"),
        finish("tool-calls"),
      ],
      [call("c", "broken", {}), call("d", "words", {}), finish("tool-calls")],
      [...text("1", "Enough."), finish("stop")],
    ],
    tools: { weather, broken: failingTool, words: textTool },
  },
  {
    name: "an input that is a text",
    knowsMore: true,
    steps: [
      [
        { type: "tool-input-start", id: "a", toolName: "words", inputEncoding: "text" },
        { type: "tool-input-delta", id: "a", delta: "free " },
        { type: "tool-input-delta", id: "a", delta: "words" },
        { type: "tool-input-end", id: "a" },
        { type: "tool-call", toolCallId: "a", toolName: "words", input: '"free words"' },
        finish("tool-calls"),
      ],
      [...text("1", "Done."), finish("stop")],
    ],
    tools: { words: textTool },
  },
  {
    name: "reasoning files",
    steps: [
      [
        ...signedReasoning("0", "A sketch.", "s"),
        { type: "reasoning-file", mediaType: "image/png", data: { type: "data", data: "iVBORw0KGgo=" } },
        { type: "file", mediaType: "audio/wav", data: { type: "data", data: new Uint8Array([1, 2, 3]) } },
        ...text("1", "Here."),
        finish("stop"),
      ],
    ],
  },
  {
    name: "a steering message between two steps",
    steps: [
      [call("a", "echo", {}), finish("tool-calls")],
      [...text("1", "Brief."), finish("stop")],
    ],
    knowsMore: true,
    with: createSteeredRun,
  },
];
