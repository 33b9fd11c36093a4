// Values as literals, and requests as code: what is pasted means exactly what was asked.
import { runInThisContext } from "node:vm";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { parseJson, stringifyJson } from "../../src/model/index.ts";
import type { ModelRequest } from "../../src/model/index.ts";
import { codesOf } from "../../ui/translate/code/codes.ts";
import { literalOf } from "../../ui/translate/code/literal.ts";
import { attemptFacts } from "../../ui/inspect/attempts.ts";
import { answerOf } from "../../ui/inspect/answer.ts";
import { pathTo, turnLabel, turnsOf, windowOf } from "../../ui/inspect/turns.ts";
import type { OutlineNode } from "../../ui/data/types.ts";

const evaluated = (literal: string): string => JSON.stringify(runInThisContext(`(${literal})`));

describe("a literal", () => {
  test("means what the JSON means, whatever it is", () => {
    fc.assert(
      fc.property(fc.jsonValue(), (value) => {
        expect(evaluated(literalOf(value))).toBe(JSON.stringify(value));
      }),
      { numRuns: 200 },
    );
  });

  test.each([
    ["a number that would be rounded", '{"id":12345678901234567890,"list":[0.10000000000000000001]}'],
    ["a key that would be a prototype", '{"__proto__":{"a":1},"b":[]}'],
    ["signs that end lines elsewhere", String.raw`{"text":"a\u2028b\"c</script>"}`],
  ])("keeps %s", (_, text) => {
    const value = parseJson(text);
    expect(evaluated(literalOf(value))).toBe(stringifyJson(value));
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
const wish = { origin: "http://127.0.0.1:4141", model: "demo/koine", token: false };
const codeOf = (id: string, given = wish): string => codesOf(request, given).find((code) => code.id === id)?.text ?? "";

describe("code", () => {
  test("asks for a whole answer of the model that was chosen, in every form", () => {
    const codes = codesOf(request, wish);
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

  test("never holds a token", () => {
    for (const { text, ending } of codesOf(request, { ...wish, token: true })) {
      expect(text).toContain(ending === "sh" ? "Bearer $KOINE_TOKEN" : "apiKey: process.env.KOINE_TOKEN");
    }
  });

  test("for a shell leaves every sign alone", () => {
    expect(codeOf("curl")).toContain("<<'JSON'\n");
    expect(codeOf("curl")).toContain("it's late");
  });

  test("for the AI SDK has its own names for settings and tools", () => {
    const text = codeOf("ai");
    expect(text).toContain('"sound-depth": tool({');
    expect(text).toContain('toolChoice: { type: "tool", toolName: "sound-depth" }');
    expect(text).toContain('stopSequences: ["END"]');
    expect(text).not.toContain("web_search");
  });

  test("tells what it does not say", () => {
    const lost = (id: string): string[] =>
      (codesOf(request, wish).find((code) => code.id === id)?.losses ?? [])
        .filter(({ level }) => level !== "note")
        .map(({ path }) => path);
    expect(lost("curl")).toStrictEqual(["/tools/1"]);
    expect(lost("openai-chat")).toStrictEqual(["/tools/1"]);
    expect(lost("ai")).toStrictEqual(["/tools/1"]);
    expect(lost("anthropic")).toStrictEqual([]);
    expect(codesOf(request, wish).every(({ remarks }) => remarks.join().includes("A stream was asked for"))).toBe(true);
  });

  test("for the AI SDK says what its packages take, and tells the rest", () => {
    const asked: ModelRequest = {
      messages: request.messages,
      reasoning: { effort: "high", budget: 2000 },
      output: { type: "json-schema", name: "depth", schema: { type: "object" }, strict: true },
      parallelToolCalls: false,
      metadata: { ship: "Argo" },
      sampling: { topK: 5, n: 2, logprobs: true, topLogprobs: 3 },
      extra: { "openai-chat": { logit_bias: { "7": 1 } } },
    };
    const { text = "", losses = [] } = codesOf(asked, wish).find(({ id }) => id === "ai") ?? {};
    for (const said of [
      'import { generateText, Output, jsonSchema } from "ai";',
      'output: Output.object({ name: "depth", schema: jsonSchema({ type: "object" }) })',
      'reasoningEffort: "high"',
      "parallelToolCalls: false",
      'metadata: { ship: "Argo" }',
      "logprobs: 3",
      "strictJsonSchema: true",
    ]) {
      expect(text).toContain(said);
    }
    const lost = losses.filter(({ level }) => level !== "note").map(({ path }) => path);
    expect(lost.toSorted()).toStrictEqual([
      "/extra/openai-chat/logit_bias",
      "/reasoning/budget",
      "/sampling/n",
      "/sampling/topK",
    ]);
    const json: ModelRequest = { messages: request.messages, output: { type: "json" } };
    expect(codesOf(json, wish).find(({ id }) => id === "ai")?.text).toContain("output: Output.json()");
  });

  test("keeps the digits of settings, or says that it cannot", () => {
    const seed = "12345678901234567890";
    const temperature = "0.30000000000000000001";
    const given = `{"sampling":{"seed":${seed},"temperature":${temperature}},"messages":[{"role":"user","parts":[{"type":"text","text":"Hi"}]}]}`;
    const codes = codesOf(parseJson(given) as unknown as ModelRequest, wish);
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
    expect(textOf("ai")).toContain(`// was asked as ${seed}, which JavaScript rounds`);
    expect(remarksOf("ai")).toContain("JavaScript rounds them");
    const rounded = codes.find(({ id }) => id === "ai")?.losses.filter(({ code }) => code === "number-rounded");
    expect(rounded?.map(({ path }) => path)).toStrictEqual(["/sampling/seed", "/sampling/temperature"]);
    expect(remarksOf("curl")).toBe("");
  });

  test("for @google/genai hands over what the SDK has no name for", () => {
    const extra = { gemini: { newThing: 1, generationConfig: { newSetting: 2 } } };
    const { text = "" } = codesOf({ messages: request.messages, extra }, wish).find(({ id }) => id === "gemini") ?? {};
    const added = /extraBody: (\{[^]*?\}) ?\}/.exec(text)?.[1] ?? "";
    expect(added).toContain("newThing: 1");
    expect(text).toContain("newSetting: 2");
  });

  test("for Anthropic waits in the way that the SDK allows for long answers", () => {
    expect(codeOf("anthropic")).toContain("client.messages.stream(");
    expect(codeOf("anthropic")).toContain(".finalMessage()");
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

  test("are those on the way to a message", () => {
    expect(pathTo(nodes, ["a", "b"], undefined)).toStrictEqual(["a", "b"]);
    expect(pathTo(nodes, ["a", "b"], "nobody")).toStrictEqual(["a", "b"]);
    expect(pathTo(nodes, ["a", "b"], "d")).toStrictEqual(["a", "c", "d"]);
  });

  test("begin with a question where only the last are shown, and what the model is told first stays", () => {
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
    expect(windowOf(all, path, 4)).toStrictEqual({ lead: 1, from: 5 });
    // Amid a call and its result no window begins.
    expect(windowOf(all, path, 2)).toStrictEqual({ lead: 1, from: 5 });
    // All but the instructions is all.
    expect(windowOf(all, path, 5)).toStrictEqual({ lead: 0, from: 0 });
    expect(windowOf(all, path, 99)).toStrictEqual({ lead: 0, from: 0 });
    expect(windowOf(all, path.slice(1), 4)).toStrictEqual({ lead: 0, from: 4 });
  });

  test("are named by their model and their words", () => {
    const [first] = turnsOf(nodes, ["a", "b"]);
    expect(first && turnLabel(first, 0)).toBe("1. m: tide");
    expect(turnsOf(nodes, ["a", "c", "d"])).toStrictEqual([{ runId: "r2", messageId: "d", model: "n", words: "end" }]);
  });

  test("answer as a response, unless they said several things", () => {
    const stored = { id: "1", parentMessageId: null, createdAt: "", role: "assistant" as const, parts: [] };
    const metadata = { schemaVersion: 2, runId: "r", model: "m", responseId: "resp_1" };
    expect(answerOf([{ ...stored, metadata }], "r")).toStrictEqual({
      id: "resp_1",
      model: "m",
      message: { role: "assistant", parts: [] },
      finishReason: { unified: "other" },
    });
    expect(answerOf([{ ...stored, metadata }], "another")).toBeUndefined();
    expect(
      answerOf(
        [
          { ...stored, metadata },
          { ...stored, metadata },
        ],
        "r",
      ),
    ).toBeUndefined();
  });

  test("were attempts, each told in a line", () => {
    const attempt = {
      provider: "p",
      model: "m",
      status: 529,
      durationMs: 40,
      error: { kind: "overloaded", message: "Later." },
    };
    expect(attemptFacts(attempt, (ms) => `${ms} ms`)).toBe("p, m, HTTP 529, 40 ms, overloaded: Later.");
    expect(attemptFacts({}, String)).toBe("");
  });
});
