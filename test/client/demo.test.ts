// The demo provider: commands, tools and limits, and the validity of its deltas.
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import type { Delta, Message, Part } from "koine";
import { assistant, checkDeltas, image, PROVIDER_ERROR_KINDS, text, toolResult, user } from "koine";
import { ClientError } from "koine/client";
import { request as anyRequest } from "../support/arbitrary-request.ts";
import { requireError } from "../support/require-error.ts";
import type { Rest } from "./support/demo-answers.ts";
import { withResults, answerDemo, callsOf, deltasOf, tools, readText } from "./support/demo-answers.ts";
import { codePoint } from "../support/code-points.ts";

describe("texts", () => {
  test("the answer to plain text names the demo and quotes the text", () => {
    const answer = answerDemo("How are you?");
    expect(readText(answer)).toContain("not a language model");
    expect(readText(answer)).toContain("“How are you?”");
    expect(answer).toMatchObject({ model: "koine", finishReason: { unified: "stop" } });
  });

  test("`help` states that the demo is no language model and lists every command", () => {
    const help = readText(answerDemo("Help!"));
    expect(help).toContain("not a language model");
    for (const command of "think call say json long slow cut pause stop refuse filter stall error".split(" ")) {
      expect(help).toContain(command);
    }
    for (const kind of PROVIDER_ERROR_KINDS) expect(help).toContain(kind);
  });

  test.each<[string, string, Partial<Record<"text" | "refusal" | "reasoning", string>>, string]>([
    ["`say` returns exactly the given text", "say  Good  morning. ", { text: "Good  morning." }, "stop"],
    ["`stop` ends without a text", "stop", {}, "stop"],
    ["`refuse` is a refusal", "Refuse.", { refusal: "would rather not" }, "refusal"],
    ["`filter` ends in a filter", "filter", { text: "where a filter" }, "content-filter"],
    ["`pause` stops half-way", "pause", { text: "call me again" }, "pause"],
    ["`json` is answered with JSON", "json", { text: '{"model":"koine"' }, "stop"],
    ["`json` with a value is answered with that value", 'json {"a": 1}', { text: '{"a": 1}' }, "stop"],
    [
      "`think` emits reasoning before the answer",
      "think of me",
      { reasoning: "first word", text: "think of me" },
      "stop",
    ],
    ["`cut` ends in the middle of the text", "cut say one two three four", { text: "one two" }, "length"],
    ["a command without its argument is plain text", "Long time no see", { text: "Long time no see" }, "stop"],
    ["a command with surplus text is plain text", "stop it now", { text: "stop it now" }, "stop"],
    ["a word that only starts with a command is plain text", "helpful", { text: "“helpful.”" }, "stop"],
    ["`error` with an unknown kind is plain text", "error in my program", { text: "in my program" }, "stop"],
  ])("%s", (_, message, expected, finish) => {
    const answer = answerDemo(message);
    expect(answer.finishReason.unified).toBe(finish);
    for (const type of ["text", "refusal", "reasoning"] as const) {
      if (expected[type] === undefined) expect(readText(answer, type)).toBe("");
      else expect(readText(answer, type)).toContain(expected[type]);
    }
  });

  test("a repeated request continues a paused answer", () => {
    const messages = [user("pause")];
    const first = answerDemo(messages);
    const second = answerDemo([...messages, first.message]);
    expect(second.finishReason.unified).toBe("stop");
    expect(readText(first) + readText(second)).toContain("call me again, and I continue");
  });

  test("`long` has the requested number of words", () => {
    expect(readText(answerDemo("long 345")).split(" ")).toHaveLength(345);
  });

  test("the answer mentions attachments", () => {
    const picture = image({ url: "https://example.com/sea.png" });
    expect(readText(answerDemo([user([picture, text("Look!"), picture])]))).toContain("with 2 images: “Look!”");
  });

  test("of several texts the one with a command counts", () => {
    expect(readText(answerDemo([user([text("<note>be kind</note>"), text("say yes")])]))).toBe("yes");
  });

  test("a history without a question gets a greeting; an unknown model is rejected", () => {
    expect(readText(answerDemo([]))).toContain("not a language model");
    const error = requireError(ClientError, () => answerDemo("hi", { model: "gpt" }));
    expect(error).toMatchObject({ code: "not-found", path: "/model", status: 404 });
  });
});

describe("tools", () => {
  const outputs: Record<string, unknown> = { weather: { sky: "clear", celsius: 24 }, clock: "12:00" };

  test("a call gets arguments from the schema, and the next answer mentions its result", () => {
    const messages = [user("call weather")];
    const first = answerDemo(messages, { tools });
    expect(first.finishReason.unified).toBe("tool-calls");
    expect(callsOf(first)).toMatchObject([{ toolName: "weather", input: { city: "Corinth" } }]);
    const second = answerDemo(
      withResults(messages, first, (tool) => outputs[tool]),
      { tools },
    );
    expect(readText(second)).toBe("The tool weather answered: sky clear, celsius 24.");
    expect(second.finishReason.unified).toBe("stop");
  });

  test.each<[string, string, unknown]>([
    ["the text of the command can contain the arguments", 'call weather {"city": "Argos"}', { city: "Argos" }],
    ["given arguments need not match the schema", 'call weather {"city": 5}', { city: 5 }],
    ["braces in strings do not end the arguments", 'call weather {"city": "}\\"{"}', { city: '}"{' }],
    ["a free-form tool receives a text", 'call shell "ls -l"', "ls -l"],
    ["tool names match without regard to case and punctuation", 'Call `Weather`: {"city": "Argos"}', { city: "Argos" }],
  ])("%s", (_, message, input) => {
    expect(callsOf(answerDemo(message, { tools })).map((call) => call.input)).toStrictEqual([input]);
  });

  test("arguments that do not parse become an invalid call", () => {
    expect(callsOf(answerDemo('call weather {"city": ', { tools }))).toMatchObject([
      { invalid: true, input: '{"city":' },
    ]);
  });

  test("`and` calls in parallel, `then` calls next, and the answer mentions every result in the order of the calls", () => {
    const start = [user("call weather and clock then weather")];
    const first = answerDemo(start, { tools });
    expect(callsOf(first).map(({ toolName }) => toolName)).toStrictEqual(["weather", "clock"]);
    const [question, assistant, ...results] = withResults(start, first, (tool) => outputs[tool]);
    const swapped = [question, assistant, ...results.reverse()].filter((message) => message !== undefined);
    const second = answerDemo(swapped, { tools });
    expect(callsOf(second).map(({ toolName }) => toolName)).toStrictEqual(["weather"]);
    const third = answerDemo(
      withResults(swapped, second, (tool) => outputs[tool]),
      { tools },
    );
    expect(readText(third).match(/weather|clock/g)).toStrictEqual(["weather", "clock", "weather"]);
  });

  test("call ids are unique in a conversation", () => {
    let messages: Message[] = [];
    const ids: string[] = [];
    for (let turn = 0; turn < 5; turn++) {
      messages.push(user("call clock and clock then clock"));
      for (let step = 0; step < 2; step++) {
        const answer = answerDemo(messages, { tools });
        ids.push(...callsOf(answer).map(({ toolCallId }) => toolCallId));
        messages = withResults(messages, answer);
      }
      messages.push(answerDemo(messages, { tools }).message);
    }
    expect(ids).toHaveLength(15);
    expect(new Set(ids).size).toBe(15);
  });

  test.each<[string, string, Rest, string[]]>([
    [
      "without parallel calls one call follows the other",
      "call weather and clock",
      { parallelToolCalls: false },
      ["weather"],
    ],
    ["tool choice `required` calls a tool without a command", "hello", { toolChoice: "required" }, ["weather"]],
    [
      "a tool choice with a name calls that tool without a command",
      "hello",
      { toolChoice: { toolName: "clock" } },
      ["clock"],
    ],
    [
      "a required choice of several tools calls one of them",
      "hi",
      { toolChoice: { toolNames: ["clock"], mode: "required" } },
      ["clock"],
    ],
    [
      "an optional choice of several tools calls none",
      "hi",
      { toolChoice: { toolNames: ["clock"], mode: "auto" } },
      [],
    ],
    [
      "a required tool is called before the tool of the command",
      "call weather",
      { toolChoice: { toolName: "clock" } },
      ["clock"],
    ],
    [
      "a tool outside the tool choice is not called",
      "call weather",
      { toolChoice: { toolNames: ["clock"], mode: "auto" } },
      [],
    ],
    ["tool choice `none` calls no tool", "call clock", { toolChoice: "none" }, []],
    ["a tool that the request does not offer is not called", "call home", {}, []],
    ["`call` without a name calls no tool", "call", {}, []],
  ])("%s", (_, message, rest, names) => {
    const answer = answerDemo(message, { tools, ...rest });
    expect(callsOf(answer).map(({ toolName }) => toolName)).toStrictEqual(names);
    if (names.length === 0) expect(readText(answer)).not.toBe("");
  });

  test("a tool choice that names a missing tool is rejected", () => {
    const error = requireError(ClientError, () => answerDemo("hi", { tools, toolChoice: { toolName: "home" } }));
    expect(error).toMatchObject({ code: "invalid-request", path: "/toolChoice", status: 400 });
  });

  test.each<[string, Parameters<typeof toolResult>, string]>([
    [
      "a failed tool",
      [{ toolCallId: "c", toolName: "clock" }, "no power", { isError: true }],
      "clock failed: no power.",
    ],
    ["an empty output", [{ toolCallId: "c", toolName: "clock" }, undefined], "clock returned nothing."],
    [
      "a picture",
      [{ toolCallId: "c", toolName: "clock" }, undefined, { content: [image({ url: "https://example.com/a.png" })] }],
      "clock answered: an image.",
    ],
  ])("the answer mentions %s", (_, result, sentence) => {
    const call: Part = { type: "tool-call", toolCallId: "c", toolName: "clock", input: {} };
    expect(readText(answerDemo([user("hi"), assistant([call]), toolResult(...result)]))).toContain(sentence);
  });

  test("a call that is cut off is marked as not executable", () => {
    expect(callsOf(answerDemo("cut call weather", { tools }))).toMatchObject([{ invalid: true }]);
    const limited = answerDemo("call weather", { tools, sampling: { maxOutputTokens: 3 } });
    expect(limited.finishReason.unified).toBe("length");
    expect(callsOf(limited)).toMatchObject([{ invalid: true }]);
  });
});

describe("limits", () => {
  test.each<[string, string[], string]>([
    ["the answer ends before a stop sequence", ["three"], "one two "],
    ["the earliest one counts", ["three", "two"], "one "],
    ["an empty stop sequence is ignored", [""], "one two three"],
  ])("%s", (_, stop, expected) => {
    const answer = answerDemo("say one two three", { sampling: { stop } });
    expect(readText(answer)).toBe(expected);
    expect(answer.finishReason.unified).toBe("stop");
  });

  test("further choices are separate, and each has its own call ids", () => {
    const answer = answerDemo("call clock and clock", { tools, sampling: { n: 3 } });
    const all = [answer, ...(answer.alternatives ?? [])].flatMap((each) => callsOf({ ...answer, ...each }));
    expect(answer.alternatives).toHaveLength(2);
    expect(new Set(all.map(({ toolCallId }) => toolCallId)).size).toBe(6);
    const texts = answerDemo("hello", { sampling: { n: 2 } });
    expect(texts.alternatives?.[0]?.message).not.toStrictEqual(texts.message);
  });

  test.each([0, 1.5, 9])("%s choices are rejected", (n) => {
    const error = requireError(ClientError, () => answerDemo("hello", { sampling: { n } }));
    expect(error).toMatchObject({ code: "invalid-request", path: "/sampling/n" });
  });

  const message = fc.oneof(
    fc.string({ unit: codePoint }),
    fc
      .array(
        fc.constantFrom("think", "cut", "say", "call", "weather", "and", "then", "clock", '{"a": [1', "😀", "long 20"),
      )
      .map((words) => words.join(" ")),
  );

  test("any message gives the same answer for every chunk size, within its limit", () => {
    fc.assert(
      fc.property(message, fc.integer({ min: 1, max: 50 }), fc.nat(60), (said, chunk, maxOutputTokens) => {
        fc.pre(!/^\W*(think|cut|slow|\W)*(stall|error|slow)/i.test(said));
        const sampling = { maxOutputTokens };
        const answer = answerDemo(said, { tools, sampling }, { chunk });
        expect(answer).toStrictEqual(answerDemo(said, { tools, sampling }));
        const { inputTokens = 0, outputTokens = 0, totalTokens } = answer.usage ?? {};
        expect(outputTokens).toBeLessThanOrEqual(maxOutputTokens);
        expect(totalTokens).toBe(inputTokens + outputTokens);
        const whole = answerDemo(said, { tools });
        const isShort = (whole.usage?.outputTokens ?? 0) <= maxOutputTokens;
        if (isShort) expect(answer).toStrictEqual(whole);
        else expect(answer.finishReason.unified).toBe("length");
      }),
    );
  });

  test("any history is answered with valid deltas, always the same", () => {
    fc.assert(
      fc.property(anyRequest, (request) => {
        const play = (): Delta[] => deltasOf(request.messages, { ...request, model: "koine" });
        let deltas: Delta[];
        try {
          deltas = play();
        } catch (error) {
          // Only errors that a provider would reply with.
          expect(error).toMatchObject({ code: "invalid-request", path: "/toolChoice" });
          return;
        }
        expect(checkDeltas(deltas)).toStrictEqual([]);
        expect(play()).toStrictEqual(deltas);
      }),
    );
  });
});
