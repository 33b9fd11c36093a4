// Tests JavaScript literals and generated code: they mean exactly the same as the request.
import { runInThisContext } from "node:vm";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { parseJson, stringifyJson } from "../../../src/model/index.ts";
import type { ModelRequest } from "../../../src/model/index.ts";
import { generateCode } from "../../../ui/translate/code/generate-code.ts";
import { toLiteral } from "../../../ui/translate/code/js-literal.ts";
import { describeAttempt } from "../../../ui/inspect/describe-attempt.ts";
import { buildRunResponse } from "../../../ui/inspect/run-response.ts";
import { listInspectedPath, formatCallLabel, listCalls, computeWindow } from "../../../ui/inspect/inspected-calls.ts";
import type { OutlineNode } from "../../../ui/data/types.ts";

const evaluateLiteral = (literal: string): string => JSON.stringify(runInThisContext(`(${literal})`));

describe("a literal", () => {
  test("has the same meaning as the JSON value", () => {
    fc.assert(
      fc.property(fc.jsonValue(), (value) => {
        expect(evaluateLiteral(toLiteral(value))).toBe(JSON.stringify(value));
      }),
      { numRuns: 200 },
    );
  });

  test.each([
    ["a number that would be rounded", '{"id":12345678901234567890,"list":[0.10000000000000000001]}'],
    ["a key that would be a prototype", '{"__proto__":{"a":1},"b":[]}'],
    ["characters that end lines in other languages", String.raw`{"text":"a\u2028b\"c</script>"}`],
  ])("keeps %s", (_, text) => {
    const value = parseJson(text);
    expect(evaluateLiteral(toLiteral(value))).toBe(stringifyJson(value));
  });
});

const request: ModelRequest = {
  model: "openai/gpt-5",
  stream: true,
  messages: [
    { role: "system", parts: [{ type: "text", text: "Be brief; it's late." }] },
    { role: "user", parts: [{ type: "text", text: "How deep is it?" }] },
  ],
  tools: [
    { type: "function", name: "sound-depth", description: "Measures.", inputSchema: { type: "object" } },
    { type: "provider", dialect: "anthropic", name: "web_search", value: { type: "web_search_20250305" } },
  ],
  toolChoice: { toolName: "sound-depth" },
  sampling: { temperature: 0.5, stop: ["END"], maxOutputTokens: 30_000 },
};
const options = { origin: "http://127.0.0.1:4141", model: "demo/koine", token: false };
const readCode = (id: string, given = options): string =>
  generateCode(request, given).find((code) => code.id === id)?.text ?? "";

describe("code", () => {
  test("requests an unstreamed answer of the chosen model, in every target", () => {
    const codes = generateCode(request, options);
    expect(codes.map(({ id }) => id)).toStrictEqual([
      "curl",
      "openai-chat",
      "openai-responses",
      "anthropic",
      "gemini",
      "ai",
    ]);
    for (const { text, failure } of codes) {
      expect(failure).toBeUndefined();
      expect(text).toContain("demo/koine");
      expect(text).not.toMatch(/stream"?: true/);
    }
  });

  test("never contains a token", () => {
    for (const { text, extension } of generateCode(request, { ...options, token: true })) {
      expect(text).toContain(extension === "sh" ? "Bearer $KOINE_TOKEN" : "apiKey: process.env.KOINE_TOKEN");
    }
  });

  test("for a shell quotes every character", () => {
    expect(readCode("curl")).toContain("<<'JSON'\n");
    expect(readCode("curl")).toContain("it's late");
  });

  test("for the AI SDK uses its names of settings and tools", () => {
    const text = readCode("ai");
    expect(text).toContain('"sound-depth": tool({');
    expect(text).toContain('toolChoice: { type: "tool", toolName: "sound-depth" }');
    expect(text).toContain('stopSequences: ["END"]');
    expect(text).not.toContain("web_search");
  });

  test("lists its losses", () => {
    const lost = (id: string): string[] =>
      (generateCode(request, options).find((code) => code.id === id)?.losses ?? [])
        .filter(({ level }) => level !== "note")
        .map(({ path }) => path);
    expect(lost("curl")).toStrictEqual(["/tools/1"]);
    expect(lost("openai-chat")).toStrictEqual(["/tools/1"]);
    expect(lost("ai")).toStrictEqual(["/tools/1"]);
    expect(lost("anthropic")).toStrictEqual([]);
    expect(
      generateCode(request, options).every(({ remarks }) => remarks.join().includes("The request asks for a stream")),
    ).toBe(true);
  });

  test("for the AI SDK includes supported options, and lists the rest as losses", () => {
    const detailed: ModelRequest = {
      messages: request.messages,
      reasoning: { effort: "high", budget: 2000 },
      output: { type: "json-schema", name: "depth", schema: { type: "object" }, strict: true },
      parallelToolCalls: false,
      metadata: { ship: "Argo" },
      sampling: { topK: 5, n: 2, logprobs: true, topLogprobs: 3 },
      extra: { "openai-chat": { logit_bias: { "7": 1 } } },
    };
    const { text = "", losses = [] } = generateCode(detailed, options).find(({ id }) => id === "ai") ?? {};
    for (const fragment of [
      'import { generateText, Output, jsonSchema } from "ai";',
      'output: Output.object({ name: "depth", schema: jsonSchema({ type: "object" }) })',
      'reasoningEffort: "high"',
      "parallelToolCalls: false",
      'metadata: { ship: "Argo" }',
      "logprobs: 3",
      "strictJsonSchema: true",
    ]) {
      expect(text).toContain(fragment);
    }
    const lost = losses.filter(({ level }) => level !== "note").map(({ path }) => path);
    expect(lost.toSorted()).toStrictEqual([
      "/extra/openai-chat/logit_bias",
      "/reasoning/budget",
      "/sampling/n",
      "/sampling/topK",
    ]);
    const json: ModelRequest = { messages: request.messages, output: { type: "json" } };
    expect(generateCode(json, options).find(({ id }) => id === "ai")?.text).toContain("output: Output.json()");
  });

  test("keeps the digits of settings, or reports the rounding", () => {
    const seed = "12345678901234567890";
    const temperature = "0.30000000000000000001";
    const given = `{"sampling":{"seed":${seed},"temperature":${temperature}},"messages":[{"role":"user","parts":[{"type":"text","text":"Hi"}]}]}`;
    const codes = generateCode(parseJson(given) as unknown as ModelRequest, options);
    const textOf = (id: string): string => codes.find((code) => code.id === id)?.text ?? "";
    const remarksOf = (id: string): string => codes.find((code) => code.id === id)?.remarks.join() ?? "";
    expect(textOf("curl")).toContain(`"seed": ${seed}`);
    expect(textOf("curl")).toContain(`"temperature": ${temperature}`);
    for (const id of ["openai-chat", "gemini"]) {
      expect(textOf(id)).toContain(`seed: JSON.rawJSON("${seed}")`);
      expect(textOf(id)).toContain(`temperature: JSON.rawJSON("${temperature}")`);
      expect(remarksOf(id)).toContain("digit by digit");
    }
    for (const id of ["openai-responses", "anthropic"]) {
      expect(textOf(id)).toContain(`temperature: JSON.rawJSON("${temperature}")`);
    }
    expect(textOf("ai")).toContain(`// the request has ${seed}, which JavaScript rounds`);
    expect(remarksOf("ai")).toContain("which rounds them");
    const rounded = codes.find(({ id }) => id === "ai")?.losses.filter(({ code }) => code === "number-rounded");
    expect(rounded?.map(({ path }) => path)).toStrictEqual(["/sampling/seed", "/sampling/temperature"]);
    expect(remarksOf("curl")).toBe("");
  });

  test("for @google/genai passes unknown fields as extraBody", () => {
    const extra = { gemini: { newThing: 1, generationConfig: { newSetting: 2 } } };
    const { text = "" } =
      generateCode({ messages: request.messages, extra }, options).find(({ id }) => id === "gemini") ?? {};
    const added = /extraBody: (\{[^]*?\}) ?\}/.exec(text)?.[1] ?? "";
    expect(added).toContain("newThing: 1");
    expect(text).toContain("newSetting: 2");
  });

  test("for Anthropic streams long answers, as the SDK requires", () => {
    expect(readCode("anthropic")).toContain("client.messages.stream(");
    expect(readCode("anthropic")).toContain(".finalMessage()");
  });
});

describe("the calls of a conversation", () => {
  const node = (id: string, parentMessageId: string | null, more: Partial<OutlineNode> = {}): [string, OutlineNode] => [
    id,
    { id, parentMessageId, role: "assistant", createdAt: "", preview: "", ...more },
  ];
  const nodes = new Map([
    node("a", null, { role: "user", preview: "Hi" }),
    node("b", "a", { runId: "r1", model: "m", toolCalls: ["tide"] }),
    node("c", "a", { runId: "r2", model: "n", preview: "x".repeat(99) }),
    node("d", "c", { runId: "r2", model: "n", preview: "end" }),
  ]);

  test("are listed along the path to a message", () => {
    expect(listInspectedPath(nodes, ["a", "b"], undefined)).toStrictEqual(["a", "b"]);
    expect(listInspectedPath(nodes, ["a", "b"], "nobody")).toStrictEqual(["a", "b"]);
    expect(listInspectedPath(nodes, ["a", "b"], "d")).toStrictEqual(["a", "c", "d"]);
    const cycle = new Map([node("x", "y"), node("y", "x")]);
    expect(listInspectedPath(cycle, [], "y")).toStrictEqual(["x", "y"]);
  });

  test("start with a user message in a window, and leading instructions are preserved", () => {
    const roles = [
      "system",
      "user",
      "assistant",
      "tool",
      "assistant",
      "user",
      "assistant",
      "tool",
      "assistant",
    ] as const;
    const all = new Map(roles.map((role, at) => node(String(at), at === 0 ? null : String(at - 1), { role })));
    const path = [...all.keys()];
    expect(computeWindow(all, path, 4)).toStrictEqual({ leadCount: 1, from: 5 });
    // No window starts between a call and its result.
    expect(computeWindow(all, path, 2)).toStrictEqual({ leadCount: 1, from: 5 });
    // Everything but the instructions counts as everything.
    expect(computeWindow(all, path, 5)).toStrictEqual({ leadCount: 0, from: 0 });
    expect(computeWindow(all, path, 99)).toStrictEqual({ leadCount: 0, from: 0 });
    expect(computeWindow(all, path.slice(1), 4)).toStrictEqual({ leadCount: 0, from: 4 });
  });

  test("are labeled by model and preview", () => {
    const [first] = listCalls(nodes, ["a", "b"]);
    expect(first && formatCallLabel(first, 0)).toBe("1. m: tide");
    expect(listCalls(nodes, ["a", "c", "d"])).toStrictEqual([
      { runId: "r2", messageId: "d", model: "n", preview: "end" },
    ]);
  });

  test("are shown as a response, unless they stored several messages", () => {
    const stored = { id: "1", parentMessageId: null, createdAt: "", role: "assistant" as const, parts: [] };
    const metadata = { schemaVersion: 2, runId: "r", model: "m", responseId: "resp_1" };
    expect(buildRunResponse([{ ...stored, metadata }], "r")).toStrictEqual({
      id: "resp_1",
      model: "m",
      message: { role: "assistant", parts: [] },
      finishReason: { unified: "other" },
    });
    expect(buildRunResponse([{ ...stored, metadata }], "another")).toBeUndefined();
    expect(
      buildRunResponse(
        [
          { ...stored, metadata },
          { ...stored, metadata },
        ],
        "r",
      ),
    ).toBeUndefined();
  });

  test("have attempts, each described in one line", () => {
    const attempt = {
      provider: "p",
      model: "m",
      status: 529,
      durationMs: 40,
      error: { kind: "overloaded", message: "Later." },
    };
    expect(describeAttempt(attempt, (ms) => `${ms} ms`)).toBe("p, m, HTTP 529, 40 ms, overloaded: Later.");
    expect(describeAttempt({}, String)).toBe("");
  });
});
