// Generated flat messages: everything the format allows, spelled in every way it allows, and what it does not know.
import fc from "fast-check";

/** Optional fields that are absent, not undefined. */
function some(fields: Record<string, fc.Arbitrary<unknown>>, required: string[] = []): fc.Arbitrary<object> {
  return fc.record(fields, { requiredKeys: required, noNullPrototype: true });
}

const word = fc.constantFrom("a", "b", "A longer text.", "\n", "");
const id = fc.constantFrom("c1", "c2", "call_1_0", "", null);
const odd = fc.constantFrom<unknown[]>(null, 7, "odd", [], { deep: [1, null] });

const text = some({ type: fc.constant("text"), text: word, unknown: odd, $form: odd }, ["type", "text"]);
const media = some(
  {
    type: fc.constantFrom("image", "audio", "file"),
    format: fc.constantFrom("png", "image/png", "MP3", "mp4", "odd format", null, "docx"),
    file_id: fc.constantFrom("file-1", null),
    name: fc.constantFrom("name.png", null),
    url: fc.constantFrom("https://example.com/x", "data:image/png;base64,AAAA", "DATA:image/png;base64,AAAA", 7),
    data: fc.constantFrom("AAAA", "data:audio/mpeg;base64,BBBB", ""),
    detail: odd,
  },
  ["type"],
);
const unknown = some({ type: fc.constantFrom("text", "image", "mystery"), value: odd });
const list = fc.array(fc.oneof(text, text, media, unknown), { maxLength: 3 });
const texts = fc.array(text, { maxLength: 3 });
const spelled = fc.oneof(word, texts, list, fc.constant(null));

const call = some(
  {
    name: fc.constantFrom("f", "g", "", "__proto__"),
    arguments: fc.constantFrom(
      "{}",
      '{"a":1}',
      '{ "a": 1.0 }',
      "",
      "{cut",
      null,
      { a: 1 },
      {},
      '{"n":12345678901234567890}',
    ),
    id,
    call_id: id,
    type: odd,
  },
  ["name"],
);
const calls = fc.oneof(fc.array(fc.oneof(call, call, unknown), { maxLength: 3 }), fc.constant(null));

const block = fc.oneof(
  some(
    { type: fc.constant("thinking"), thinking: word, signature: fc.constantFrom("sig", "", null, 7), unknown: odd },
    ["type", "thinking"],
  ),
  some({ type: fc.constant("redacted_thinking"), data: fc.constantFrom("hidden", ""), thinking: odd }, [
    "type",
    "data",
  ]),
  odd,
);
const providers = some({
  claude: fc.oneof(some({ thinking_blocks: fc.oneof(fc.array(block, { maxLength: 3 }), odd), unknown: odd }), odd),
  gemini: fc.oneof(
    some({
      thought_signatures: fc.oneof(fc.array(fc.constantFrom("t1", "t2", "", null, 7), { maxLength: 6 }), odd),
      unknown: odd,
    }),
    odd,
  ),
  anthropic: fc.oneof(odd, fc.constant({ thinking_blocks: [] })),
  flat: odd,
  openai: fc.constantFrom<unknown[]>({ service: "x", $form: { y: 1 } }, {}, 7),
  ["__proto__"]: fc.constant({ polluted: true }),
});

const fields = {
  role: fc.constantFrom("system", "developer", "user", "assistant", "assistant", "tool", "tool", "narrator"),
  content: spelled,
  id,
  call_id: id,
  name: fc.constantFrom("f", "Ada", "", null),
  extra: fc.oneof(providers, odd),
  created: odd,
};
const free = some({ ...fields, reasoning: spelled, refusal: spelled, tool_calls: calls }, ["role"]);

/** A message whose `reasoning` says what its thinking blocks say. */
const agreeing = fc
  .tuple(
    some({ ...fields, tool_calls: calls }, ["role"]),
    fc.array(block, { maxLength: 3 }),
    fc.constantFrom("", "\n", "\n\n", "list"),
  )
  .map(([message, blocks, joint]) => {
    const thoughts = blocks.flatMap((each) => {
      const { type, thinking } = (each ?? {}) as { type?: unknown; thinking?: unknown };
      return type === "thinking" && typeof thinking === "string" ? [thinking] : [];
    });
    const reasoning =
      joint === "list" ? thoughts.map((thought) => ({ type: "text", text: thought })) : thoughts.join(joint);
    return { ...message, reasoning, extra: { claude: { thinking_blocks: blocks } } };
  });

/** A conversation on the wire, as JSON text would give it. */
export const flatWire: fc.Arbitrary<object[]> = fc
  .array(fc.oneof(free, agreeing), { maxLength: 4 })
  .map((messages) => JSON.parse(JSON.stringify(messages)) as object[]);
