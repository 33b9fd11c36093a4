// Generates flat messages: every field and form that the format allows, and unknown data.
import fc from "fast-check";

/** A record whose optional fields are absent, not undefined. */
function partialRecord(fields: Record<string, fc.Arbitrary<unknown>>, required: string[] = []): fc.Arbitrary<object> {
  return fc.record(fields, { requiredKeys: required, noNullPrototype: true });
}

const shortText = fc.constantFrom("a", "b", "A longer text.", "\n", "");
const id = fc.constantFrom("c1", "c2", "call_1_0", "", null);
const unusualValue = fc.constantFrom<unknown[]>(null, 7, "odd", [], { deep: [1, null] });

const text = partialRecord({ type: fc.constant("text"), text: shortText, unknown: unusualValue, $form: unusualValue }, [
  "type",
  "text",
]);
const media = partialRecord(
  {
    type: fc.constantFrom("image", "audio", "file"),
    format: fc.constantFrom("png", "image/png", "MP3", "mp4", "odd format", null, "docx"),
    file_id: fc.constantFrom("file-1", null),
    name: fc.constantFrom("name.png", null),
    url: fc.constantFrom("https://example.com/x", "data:image/png;base64,AAAA", "DATA:image/png;base64,AAAA", 7),
    data: fc.constantFrom("AAAA", "data:audio/mpeg;base64,BBBB", ""),
    detail: unusualValue,
  },
  ["type"],
);
const unknown = partialRecord({ type: fc.constantFrom("text", "image", "mystery"), value: unusualValue });
const list = fc.array(fc.oneof(text, text, media, unknown), { maxLength: 3 });
const texts = fc.array(text, { maxLength: 3 });
const slotValue = fc.oneof(shortText, texts, list, fc.constant(null));

const call = partialRecord(
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
    type: unusualValue,
  },
  ["name"],
);
const calls = fc.oneof(fc.array(fc.oneof(call, call, unknown), { maxLength: 3 }), fc.constant(null));

const block = fc.oneof(
  partialRecord(
    {
      type: fc.constant("thinking"),
      thinking: shortText,
      signature: fc.constantFrom("sig", "", null, 7),
      unknown: unusualValue,
    },
    ["type", "thinking"],
  ),
  partialRecord(
    { type: fc.constant("redacted_thinking"), data: fc.constantFrom("hidden", ""), thinking: unusualValue },
    ["type", "data"],
  ),
  unusualValue,
);
const providers = partialRecord({
  claude: fc.oneof(
    partialRecord({
      thinking_blocks: fc.oneof(fc.array(block, { maxLength: 3 }), unusualValue),
      unknown: unusualValue,
    }),
    unusualValue,
  ),
  gemini: fc.oneof(
    partialRecord({
      thought_signatures: fc.oneof(fc.array(fc.constantFrom("t1", "t2", "", null, 7), { maxLength: 6 }), unusualValue),
      unknown: unusualValue,
    }),
    unusualValue,
  ),
  anthropic: fc.oneof(unusualValue, fc.constant({ thinking_blocks: [] })),
  flat: unusualValue,
  openai: fc.constantFrom<unknown[]>({ service: "x", $form: { y: 1 } }, {}, 7),
  ["__proto__"]: fc.constant({ polluted: true }),
});

const fields = {
  role: fc.constantFrom("system", "developer", "user", "assistant", "assistant", "tool", "tool", "narrator"),
  content: slotValue,
  id,
  call_id: id,
  name: fc.constantFrom("f", "Ada", "", null),
  extra: fc.oneof(providers, unusualValue),
  created: unusualValue,
};
const anyMessage = partialRecord({ ...fields, reasoning: slotValue, refusal: slotValue, tool_calls: calls }, ["role"]);

/** A message whose `reasoning` matches its thinking blocks. */
const messageWithMatchingBlocks = fc
  .tuple(
    partialRecord({ ...fields, tool_calls: calls }, ["role"]),
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

/** A wire conversation, as parsed from JSON. */
export const flatWire: fc.Arbitrary<object[]> = fc
  .array(fc.oneof(anyMessage, messageWithMatchingBlocks), { maxLength: 4 })
  .map((messages) => JSON.parse(JSON.stringify(messages)) as object[]);
