// Hostile and broken input to every public function: the result is a value or a typed error with a code and a message,
// never a crash, a hang or a partial change.
import { describe, expect, test } from "vitest";
import {
  assemble,
  AssemblyError,
  dialect,
  DialectError,
  dialects,
  JsonError,
  KoineError,
  parseJson,
  parsePartialJson,
  readMessage,
  SseParser,
  stringifyJson,
  user,
  validate,
} from "koine";
import type { Delta, Message } from "koine";
import { answer, call, delta } from "./support/deltas.ts";
import { requireError } from "./support/require-error.ts";

const DEEP = 10_000;
const deepText = "[".repeat(DEEP) + "]".repeat(DEEP);
const deepValue = (): unknown => {
  let value: unknown = [];
  for (let level = 0; level < DEEP; level++) value = [value];
  return value;
};
const LONG = "a".repeat(50_000_000);

describe("not JSON", () => {
  test.each(["", "{", "[1,]", '{"a":1}x', "nul", '"\u0001"', "{'a':1}"])(
    "%j is a JsonError with a position",
    (text) => {
      const error = requireError(KoineError, () => parseJson(text));
      expect(error).toBeInstanceOf(JsonError);
      expect(error.code).toBe("invalid-json");
      expect(error.message).toMatch(/line 1/);
    },
  );
});

describe(`${DEEP.toLocaleString("en")} levels deep`, () => {
  test("text is rejected with a path", () => {
    const error = requireError(KoineError, () => parseJson(deepText));
    expect(error).toMatchObject({ code: "too-deep", path: expect.stringMatching(/^\/0/) as string });
  });

  test("arguments of a call are flagged, not fatal", () => {
    const { message } = assemble(answer(...call("a", deepText)));
    expect(message.parts).toMatchObject([{ invalid: true, inputText: deepText }]);
    expect(message.metadata?.invalidToolCalls).toMatchObject([{ toolCallId: "a" }]);
  });

  test("half of it does no harm", () => {
    expect(() => parsePartialJson(deepText.slice(0, DEEP))).not.toThrow();
  });

  test("a value is reported by validate", () => {
    expect(validate({ role: "user", parts: [{ type: "opaque", dialect: "x", value: deepValue() }] })).toMatchObject([
      { code: "too-deep" },
    ]);
  });

  test.each(dialects)("a message in %s is an error with a code, or goes through", (id) => {
    const wire = [{ role: "user", content: deepValue(), parts: deepValue(), metadata: { schemaVersion: 2 } }];
    const unknown = [{ ...(dialect(id).encodeMessages([user("hi")]).wire as object[])[0], brand_new: deepValue() }];
    for (const each of [wire, unknown]) {
      let messages: Message[] = [];
      try {
        messages = dialect(id).decodeMessages(each);
      } catch (error) {
        expect(error).toBeInstanceOf(DialectError);
      }
      dialect(id).encodeMessages(messages);
    }
  });

  test("a stored message is rejected", () => {
    const error = requireError(KoineError, () =>
      readMessage({
        id: "",
        parentMessageId: null,
        role: "user",
        createdAt: "",
        parts: [{ type: "opaque", dialect: "x", value: deepValue() }],
        metadata: { schemaVersion: 2 },
      }),
    );
    expect(error.code).toBe("invalid");
  });
});

describe("strings of 50 MB", () => {
  test("go through JSON, events, deltas and dialects", () => {
    expect((parseJson(stringifyJson([LONG])) as string[])[0]).toHaveLength(LONG.length);
    expect(new SseParser().push(`data: ${LONG}\n\n`)[0]?.data).toHaveLength(LONG.length);
    expect(assemble(answer(delta("text", { textDelta: LONG }))).message.parts).toMatchObject([{ type: "text" }]);
    for (const id of dialects) {
      const [message] = dialect(id).decodeMessages(dialect(id).encodeMessages([user(LONG)]).wire);
      expect(message?.parts[0]).toMatchObject({ type: "text", text: LONG });
    }
  });

  test("an error about them does not repeat them", () => {
    expect(requireError(KoineError, () => parseJson(`"${LONG}`)).message.length).toBeLessThan(1000);
    const bad = { kind: LONG, payload: {} } as unknown as Delta;
    expect(requireError(KoineError, () => assemble([bad])).message.length).toBeLessThan(1000);
    expect(JSON.stringify(validate({ role: LONG, parts: [{ type: LONG }] })).length).toBeLessThan(2000);
  });
});

describe("wrong JSON types", () => {
  const NONSENSE = [undefined, null, 0, "text", true, [], {}, () => 1, Symbol("s"), 10n];

  test("invalid deltas are rejected by name", () => {
    for (const each of NONSENSE)
      expect(requireError(KoineError, () => assemble([each as never]))).toBeInstanceOf(AssemblyError);
  });

  test("invalid stored messages are rejected", () => {
    for (const each of NONSENSE) expect(requireError(KoineError, () => readMessage(each))).toBeInstanceOf(KoineError);
  });

  test.each(dialects)("%s rejects values that are no messages", (id) => {
    for (const each of NONSENSE)
      if (!Array.isArray(each))
        expect(requireError(KoineError, () => dialect(id).decodeMessages(each)).code).toBe("wrong-type");
  });

  test("a dialect that does not exist is named, with those that do", () => {
    const error = requireError(KoineError, () => dialect("klingon"));
    expect(error.code).toBe("unknown-dialect");
    for (const id of dialects) expect(error.message).toContain(id);
  });

  test("an unsupported capability of a dialect is an error", () => {
    expect(requireError(KoineError, () => dialect("flat").decodeRequest({})).code).toBe("not-supported");
  });
});
