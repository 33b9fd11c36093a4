// Properties of the tagged shape: any form round-trips, and messages that were encoded without a loss decode to themselves.
import fc from "fast-check";
import { expect, test } from "vitest";
import { DialectError } from "../../../src/dialects/errors.ts";
import { tagged } from "../../../src/dialects/tagged/index.ts";
import { parseRole } from "../../../src/dialects/tagged/wire-names.ts";
import { sameJson, stringifyJson } from "../../../src/model/json/index.ts";
import type { Message } from "../../../src/model/message.ts";
import type { Part } from "../../../src/model/parts.ts";
import { character } from "../../support/arbitrary.ts";
import { scaleRunCount } from "../../support/property-run-count.ts";

const dialect = tagged();

/** A record in which every field may be absent or null. */
function looseRecord(fields: Record<string, fc.Arbitrary<unknown>>): fc.Arbitrary<object> {
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

/** Adds unknown fields; known fields win. */
function withUnknown(fields: fc.Arbitrary<object>): fc.Arbitrary<object> {
  return fc.tuple(unknownFields, fields).map(([unknown, known]) => ({ ...unknown, ...known }));
}

const shortText = fc.string({ unit: character, maxLength: 6 });
const ids = fc.constantFrom("a", "b", "");
const urls = fc.oneof(shortText, fc.constantFrom("data:image/png;base64,aGk=", "data:,x", "https://example.com"));
const media = withUnknown(looseRecord({ url: urls, data: shortText, media_type: shortText, file_name: shortText }));
const callArguments = fc.oneof(
  fc.dictionary(shortText, fc.jsonValue({ stringUnit: character })),
  fc.json({ stringUnit: character }),
  shortText,
);
const toolCall = withUnknown(looseRecord({ id: ids, name: shortText, arguments: callArguments }));
const toolResult = withUnknown(
  looseRecord({ tool_call_id: ids, content: fc.jsonValue({ stringUnit: character }), is_error: fc.boolean() }),
);
const thinking = withUnknown(looseRecord({ text: shortText, signature: shortText }));

const parts: Record<string, fc.Arbitrary<unknown>> = {
  TEXT: shortText,
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
        // An unknown field of that name would be the text itself, of any type.
        kind === "TEXT" ? { ...part, text: "text" in part ? part.text : "" } : part,
    ),
  ),
);
const wireRole = fc.oneof(
  fc.constantFrom("SYSTEM", "DEVELOPER", "USER", "ASSISTANT", "TOOL", "TOOL", "TOOL"),
  shortText.filter((word) => parseRole(word) === undefined),
);
const content = fc.oneof(fc.array(wirePart, { maxLength: 3 }), shortText);
const wireMessage = fc
  .tuple(wireRole, looseRecord({ content, tool_call_id: ids }), unknownFields)
  .map(([role, fields, unknown]) => ({ ...unknown, ...fields, role }));

/** True if the data is rejected because a value has a wrong type. */
function isRejected(wire: unknown): boolean {
  try {
    dialect.decodeMessages(wire);
    return false;
  } catch (error) {
    if (error instanceof DialectError) return true;
    throw error;
  }
}

test("any spelling round-trips to equal JSON, without a loss", () => {
  fc.assert(
    fc.property(fc.array(wireMessage, { maxLength: 4 }), (wire) => {
      fc.pre(!isRejected(wire));
      const { wire: again, losses } = dialect.encodeMessages(dialect.decodeMessages(wire));
      expect(losses).toStrictEqual([]);
      if (!sameJson(again, wire)) expect(again).toStrictEqual(wire);
    }),
    { numRuns: scaleRunCount(2000) },
  );
});

const seals = fc.array(
  fc.record({
    dialect: fc.constantFrom("anthropic", "gemini"),
    kind: fc.constantFrom("signature", "redacted"),
    value: shortText,
  }),
  { minLength: 1, maxLength: 2 },
);
const partialRecord = <T>(fields: { [K in keyof T]: fc.Arbitrary<T[K]> }, optional: (keyof T)[] = []) =>
  fc.record(fields, { requiredKeys: (Object.keys(fields) as (keyof T)[]).filter((key) => !optional.includes(key)) });
const canonicalPart = fc.oneof(
  partialRecord({ type: fc.constantFrom("text", "refusal"), text: shortText }),
  partialRecord({ type: fc.constant("reasoning"), text: shortText, seals }, ["seals"]),
  partialRecord({ type: fc.constantFrom("image", "audio", "file"), data: shortText, mimeType: shortText }, [
    "mimeType",
  ]),
  partialRecord({ type: fc.constantFrom("image", "file"), url: shortText }),
  partialRecord({ type: fc.constant("file"), text: shortText, name: shortText }, ["name"]),
  partialRecord({
    type: fc.constant("tool-call"),
    toolCallId: ids,
    toolName: shortText,
    input: fc.jsonValue({ stringUnit: character }),
  }),
  partialRecord(
    {
      type: fc.constant("tool-result"),
      toolCallId: ids,
      toolName: shortText,
      isError: fc.boolean(),
      output: fc.jsonValue({ stringUnit: character }),
    },
    ["output"],
  ),
  partialRecord({
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
      // With losses, a second round is stable.
      expect(stringifyJson(dialect.encodeMessages(again).wire)).toBe(stringifyJson(wire));
    }),
    { numRuns: scaleRunCount(2000) },
  );
});
