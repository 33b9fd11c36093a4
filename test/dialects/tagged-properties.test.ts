// Properties of `tagged`: any spelling comes back, and what was encoded without a loss decodes to what it was.
import fc from "fast-check";
import { expect, test } from "vitest";
import { DialectError } from "../../src/dialects/errors.ts";
import { tagged } from "../../src/dialects/tagged/index.ts";
import { readRole } from "../../src/dialects/tagged/terms.ts";
import { sameJson, stringifyJson } from "../../src/model/json.ts";
import type { Message } from "../../src/model/message.ts";
import type { Part } from "../../src/model/parts.ts";
import { character } from "../support/arbitrary.ts";
import { tries } from "../support/tries.ts";

const dialect = tagged();

/** A record in which every field may be absent or null. */
function loose(fields: Record<string, fc.Arbitrary<unknown>>): fc.Arbitrary<object> {
  const nullable = Object.entries(fields).map(([key, value]) => [key, fc.option(value, { freq: 5 })]);
  return fc.record(Object.fromEntries(nullable), { requiredKeys: [] });
}

const unknownFields = fc.dictionary(
  fc.constantFrom("x", "$form", "__proto__", "data", "text", "note"),
  fc.jsonValue({ stringUnit: character }),
  {
    maxKeys: 2,
  },
);

/** Unknown fields behind the known ones, which win. */
function withUnknown(fields: fc.Arbitrary<object>): fc.Arbitrary<object> {
  return fc.tuple(unknownFields, fields).map(([unknown, known]) => ({ ...unknown, ...known }));
}

const words = fc.string({ unit: character, maxLength: 6 });
const ids = fc.constantFrom("a", "b", "");
const urls = fc.oneof(words, fc.constantFrom("data:image/png;base64,aGk=", "data:,x", "https://example.com"));
const media = withUnknown(loose({ url: urls, data: words, media_type: words, file_name: words }));
const callArguments = fc.oneof(
  fc.dictionary(words, fc.jsonValue({ stringUnit: character })),
  fc.json({ stringUnit: character }),
  words,
);
const toolCall = withUnknown(loose({ id: ids, name: words, arguments: callArguments }));
const toolResult = withUnknown(
  loose({ tool_call_id: ids, content: fc.jsonValue({ stringUnit: character }), is_error: fc.boolean() }),
);
const thinking = withUnknown(loose({ text: words, signature: words }));

const parts: Record<string, fc.Arbitrary<unknown>> = {
  TEXT: words,
  IMAGE: media,
  AUDIO: media,
  DOCUMENT: media,
  TOOL_CALL: toolCall,
  TOOL_RESULT: toolResult,
  THINKING: thinking,
  REDACTED_THINKING: fc.jsonValue({ stringUnit: character }),
  HOLOGRAM: fc.jsonValue({ stringUnit: character }),
};
const wirePart = fc.oneof(
  ...Object.entries(parts).map(([kind, data]) =>
    withUnknown(fc.record({ kind: fc.constant(kind), [kind.toLowerCase()]: fc.option(data, { freq: 8 }) })).map(
      (part) =>
        // An unknown field of that name would be the text itself, of whatever type.
        kind === "TEXT" ? { ...part, text: "text" in part ? part.text : "" } : part,
    ),
  ),
);
const roleWord = fc.oneof(
  fc.constantFrom("SYSTEM", "DEVELOPER", "USER", "ASSISTANT", "TOOL", "TOOL", "TOOL"),
  words.filter((word) => readRole(word) === undefined),
);
const content = fc.oneof(fc.array(wirePart, { maxLength: 3 }), words);
const wireMessage = fc
  .tuple(roleWord, loose({ content, tool_call_id: ids }), unknownFields)
  .map(([role, fields, unknown]) => ({ ...unknown, ...fields, role }));

/** Data that is of the wrong type somewhere is refused; everything else is read. */
function isRefused(wire: unknown): boolean {
  try {
    dialect.decodeMessages(wire);
    return false;
  } catch (error) {
    if (error instanceof DialectError) return true;
    throw error;
  }
}

test("any spelling comes back as equal JSON, without a loss", () => {
  fc.assert(
    fc.property(fc.array(wireMessage, { maxLength: 4 }), (wire) => {
      fc.pre(!isRefused(wire));
      const { wire: again, losses } = dialect.encodeMessages(dialect.decodeMessages(wire));
      expect(losses).toStrictEqual([]);
      if (!sameJson(again, wire)) expect(again).toStrictEqual(wire);
    }),
    { numRuns: tries(2000) },
  );
});

const seals = fc.array(
  fc.record({
    dialect: fc.constantFrom("anthropic", "gemini"),
    kind: fc.constantFrom("signature", "redacted"),
    value: words,
  }),
  { minLength: 1, maxLength: 2 },
);
const some = <T>(fields: { [K in keyof T]: fc.Arbitrary<T[K]> }, optional: (keyof T)[] = []) =>
  fc.record(fields, { requiredKeys: (Object.keys(fields) as (keyof T)[]).filter((key) => !optional.includes(key)) });
const canonicalPart = fc.oneof(
  some({ type: fc.constantFrom("text", "refusal"), text: words }),
  some({ type: fc.constant("reasoning"), text: words, seals }, ["seals"]),
  some({ type: fc.constantFrom("image", "audio", "file"), data: words, mimeType: words }, ["mimeType"]),
  some({ type: fc.constantFrom("image", "file"), url: words }),
  some({ type: fc.constant("file"), text: words, name: words }, ["name"]),
  some({
    type: fc.constant("tool-call"),
    toolCallId: ids,
    toolName: words,
    input: fc.jsonValue({ stringUnit: character }),
  }),
  some(
    {
      type: fc.constant("tool-result"),
      toolCallId: ids,
      toolName: words,
      isError: fc.boolean(),
      output: fc.jsonValue({ stringUnit: character }),
    },
    ["output"],
  ),
  some({
    type: fc.constant("opaque"),
    dialect: fc.constant("tagged"),
    value: fc.constant({ kind: "HOLOGRAM", depth: 1 }),
  }),
) as fc.Arbitrary<Part>;
const canonicalMessage: fc.Arbitrary<Message> = fc.record({
  role: fc.constantFrom("system", "developer", "user", "assistant", "tool", "tool"),
  parts: fc.array(canonicalPart, { maxLength: 3 }),
});

test("messages that were encoded without a loss decode to themselves", () => {
  fc.assert(
    fc.property(fc.array(canonicalMessage, { maxLength: 3 }), (messages) => {
      const { wire, losses } = dialect.encodeMessages(messages);
      const again = dialect.decodeMessages(wire);
      if (losses.length === 0 && !sameJson(again, messages)) expect(again).toStrictEqual(messages);
      // With losses, what is left of them is stable.
      expect(stringifyJson(dialect.encodeMessages(again).wire)).toBe(stringifyJson(wire));
    }),
    { numRuns: tries(2000) },
  );
});
