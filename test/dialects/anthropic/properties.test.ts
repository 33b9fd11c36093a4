// Properties: any request round-trips, and any canonical content is encoded or reported.
import fc from "fast-check";
import { expect, test } from "vitest";
import type { Encoded } from "../../../src/dialects/dialect.ts";
import { DialectError } from "../../../src/dialects/errors.ts";
import { anthropic } from "../../../src/dialects/anthropic/index.ts";
import { sameJson, stringifyJson } from "../../../src/model/json/index.ts";
import { user } from "../../../src/model/message.ts";
import type { ModelRequest } from "../../../src/model/request.ts";
import { silentLosses } from "../../../src/testkit/index.ts";
import { json, response } from "../../support/arbitrary.ts";
import { scaleRunCount } from "../../support/property-run-count.ts";

const dialect = anthropic();
const RUNS = scaleRunCount(150);

/** Generates the expected value, or sometimes any JSON. */
function orAnything(expected: fc.Arbitrary<unknown>): fc.Arbitrary<unknown> {
  return fc.oneof({ weight: 3, arbitrary: expected }, json);
}
function record(fields: Record<string, fc.Arbitrary<unknown>>, ...required: string[]): fc.Arbitrary<unknown> {
  return fc.record(fields, { requiredKeys: required as never[], noNullPrototype: true });
}

const text = fc.string({ maxLength: 6 });
const oneOf = (...values: string[]): fc.Arbitrary<unknown> => orAnything(fc.constantFrom(...values));
const plainText = record({ type: fc.constant("text"), text }, "type", "text");
const source = record(
  {
    type: oneOf("base64", "url", "text", "file", "content"),
    data: orAnything(text),
    url: orAnything(text),
    file_id: orAnything(text),
    media_type: oneOf("image/png", "text/plain", "application/pdf"),
    content: fc.oneof(text, fc.array(plainText, { maxLength: 2 })),
  },
  "type",
);
const citation = record({
  type: oneOf("char_location", "web_search_result_location", "search_result_location"),
  url: orAnything(text),
  title: orAnything(text),
  cited_text: orAnything(text),
  encrypted_index: orAnything(text),
});
const TYPES = [
  "text",
  "thinking",
  "redacted_thinking",
  "tool_use",
  "tool_result",
  "image",
  "document",
  "search_result",
  "server_tool_use",
  "mcp_tool_result",
  "web_search_tool_result",
  "hologram",
];
const block = record(
  {
    type: fc.constantFrom(...TYPES),
    text: orAnything(text),
    thinking: orAnything(text),
    signature: orAnything(text),
    data: orAnything(text),
    id: oneOf("a", "b", ""),
    tool_use_id: oneOf("a", "b", ""),
    name: oneOf("f"),
    input: json,
    is_error: orAnything(fc.boolean()),
    cache_control: orAnything(fc.constant({ type: "ephemeral", ttl: "1h" })),
    citations: orAnything(fc.array(citation, { maxLength: 2 })),
    source: orAnything(source),
    title: orAnything(text),
    content: orAnything(fc.oneof(text, fc.array(plainText, { maxLength: 2 }))),
    brand_new: json,
  },
  "type",
);
const message = record(
  {
    role: fc.constantFrom("user", "assistant", "system", "critic"),
    content: fc.oneof(text, fc.array(block, { maxLength: 4 })),
    brand_new: json,
  },
  "role",
  "content",
);
const tool = record({
  type: oneOf("custom", "bash_20250124"),
  name: orAnything(text),
  description: orAnything(text),
  input_schema: orAnything(fc.constant({ type: "object" })),
  strict: orAnything(fc.boolean()),
  cache_control: orAnything(fc.constant({ type: "ephemeral" })),
});
const format = orAnything(fc.constant({ type: "json_schema", schema: {} }));
const request = record(
  {
    messages: fc.array(message, { maxLength: 5 }),
    model: orAnything(text),
    max_tokens: orAnything(fc.nat()),
    stop_sequences: orAnything(fc.array(text, { maxLength: 2 })),
    system: orAnything(fc.oneof(text, fc.array(plainText, { maxLength: 2 }))),
    thinking: orAnything(
      record({ type: oneOf("enabled", "disabled", "adaptive"), budget_tokens: orAnything(fc.nat()) }),
    ),
    output_config: orAnything(record({ effort: oneOf("low", "none", "heroic"), format })),
    output_format: format,
    tools: orAnything(fc.array(tool, { maxLength: 2 })),
    tool_choice: orAnything(
      record({
        type: oneOf("auto", "any", "tool", "none"),
        name: orAnything(text),
        disable_parallel_tool_use: fc.boolean(),
      }),
    ),
    metadata: orAnything(record({ user_id: orAnything(text), brand_new: json })),
    brand_new: json,
  },
  "messages",
);

test("any request round-trips to equal JSON, also from a copy, or is rejected with a path", () => {
  let read = 0;
  const checkRoundTrip = (wire: unknown): void => {
    let decoded: ModelRequest;
    try {
      decoded = dialect.decodeRequest(wire);
    } catch (error) {
      if (error instanceof DialectError) return;
      throw error;
    }
    read++;
    for (const each of [decoded, structuredClone(decoded)]) {
      const { wire: reencoded } = dialect.encodeRequest(each, { repair: false });
      if (!sameJson(reencoded, wire)) expect(stringifyJson(reencoded)).toBe(stringifyJson(wire));
      dialect.encodeRequest(each);
    }
  };
  fc.assert(fc.property(request, checkRoundTrip), { numRuns: 2 * RUNS });
  expect(read).toBeGreaterThan(RUNS);
});

function checkLosses<T>(value: T, encode: (value: T) => Encoded): void {
  expect(silentLosses(value, encode)).toStrictEqual([]);
}

test("B58: any response is encoded or reported, and its encoding round-trips", () => {
  const check = fc.property(response, ({ usage, ...rest }) => {
    const { raw: _, ...counts } = usage ?? { inputTokens: 0, outputTokens: 0, totalTokens: 0 };
    const answer = { ...rest, usage: counts };
    checkLosses(answer, (each) => dialect.encodeResponse(each));
    const { wire } = dialect.encodeResponse(answer);
    const reencoded = dialect.encodeResponse(dialect.decodeResponse(wire), { repair: false });
    expect(sameJson(reencoded.wire, wire)).toBe(true);
  });
  fc.assert(check, { numRuns: RUNS });
});

test("B58: any history is encoded or reported, and its encoding round-trips", () => {
  const check = fc.property(fc.array(response, { maxLength: 3 }), fc.boolean(), (answers, repair) => {
    const history = { messages: answers.flatMap(({ message }) => [message, user("And then?")]) };
    checkLosses(history, (each) => dialect.encodeRequest(each, { repair }));
    const { wire } = dialect.encodeRequest(history, { repair });
    const reencoded = dialect.encodeRequest(dialect.decodeRequest(wire), { repair: false });
    expect(sameJson(reencoded.wire, wire)).toBe(true);
  });
  fc.assert(check, { numRuns: RUNS });
});
