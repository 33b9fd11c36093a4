// Whatever stands in a request comes back, and whatever the model says arrives or is reported.
import fc from "fast-check";
import { expect, test } from "vitest";
import type { Encoded } from "../../src/dialects/dialect.ts";
import { DialectError } from "../../src/dialects/errors.ts";
import { anthropic } from "../../src/dialects/anthropic/index.ts";
import { sameJson, stringifyJson } from "../../src/model/json.ts";
import { user } from "../../src/model/message.ts";
import type { ModelRequest } from "../../src/model/request.ts";
import { silentLosses } from "../../src/testkit/index.ts";
import { json, response } from "../support/arbitrary.ts";
import { tries } from "../support/tries.ts";

const dialect = anthropic();
const RUNS = tries(150);

/** Now and then what it should be, now and then anything. */
function perhaps(usual: fc.Arbitrary<unknown>): fc.Arbitrary<unknown> {
  return fc.oneof({ weight: 3, arbitrary: usual }, json);
}
function record(fields: Record<string, fc.Arbitrary<unknown>>, ...required: string[]): fc.Arbitrary<unknown> {
  return fc.record(fields, { requiredKeys: required as never[], noNullPrototype: true });
}

const text = fc.string({ maxLength: 6 });
const word = (...words: string[]): fc.Arbitrary<unknown> => perhaps(fc.constantFrom(...words));
const plainText = record({ type: fc.constant("text"), text }, "type", "text");
const source = record(
  {
    type: word("base64", "url", "text", "file", "content"),
    data: perhaps(text),
    url: perhaps(text),
    file_id: perhaps(text),
    media_type: word("image/png", "text/plain", "application/pdf"),
    content: fc.oneof(text, fc.array(plainText, { maxLength: 2 })),
  },
  "type",
);
const citation = record({
  type: word("char_location", "web_search_result_location", "search_result_location"),
  url: perhaps(text),
  title: perhaps(text),
  cited_text: perhaps(text),
  encrypted_index: perhaps(text),
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
    text: perhaps(text),
    thinking: perhaps(text),
    signature: perhaps(text),
    data: perhaps(text),
    id: word("a", "b", ""),
    tool_use_id: word("a", "b", ""),
    name: word("f"),
    input: json,
    is_error: perhaps(fc.boolean()),
    cache_control: perhaps(fc.constant({ type: "ephemeral", ttl: "1h" })),
    citations: perhaps(fc.array(citation, { maxLength: 2 })),
    source: perhaps(source),
    title: perhaps(text),
    content: perhaps(fc.oneof(text, fc.array(plainText, { maxLength: 2 }))),
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
  type: word("custom", "bash_20250124"),
  name: perhaps(text),
  description: perhaps(text),
  input_schema: perhaps(fc.constant({ type: "object" })),
  strict: perhaps(fc.boolean()),
  cache_control: perhaps(fc.constant({ type: "ephemeral" })),
});
const format = perhaps(fc.constant({ type: "json_schema", schema: {} }));
const request = record(
  {
    messages: fc.array(message, { maxLength: 5 }),
    model: perhaps(text),
    max_tokens: perhaps(fc.nat()),
    stop_sequences: perhaps(fc.array(text, { maxLength: 2 })),
    system: perhaps(fc.oneof(text, fc.array(plainText, { maxLength: 2 }))),
    thinking: perhaps(record({ type: word("enabled", "disabled", "adaptive"), budget_tokens: perhaps(fc.nat()) })),
    output_config: perhaps(record({ effort: word("low", "none", "heroic"), format })),
    output_format: format,
    tools: perhaps(fc.array(tool, { maxLength: 2 })),
    tool_choice: perhaps(
      record({
        type: word("auto", "any", "tool", "none"),
        name: perhaps(text),
        disable_parallel_tool_use: fc.boolean(),
      }),
    ),
    metadata: perhaps(record({ user_id: perhaps(text), brand_new: json })),
    brand_new: json,
  },
  "messages",
);

test("any request comes back as equal JSON, also from a copy, or is refused with its place", () => {
  let read = 0;
  const comesBack = (wire: unknown): void => {
    let decoded: ModelRequest;
    try {
      decoded = dialect.decodeRequest(wire);
    } catch (error) {
      if (error instanceof DialectError) return;
      throw error;
    }
    read++;
    for (const each of [decoded, structuredClone(decoded)]) {
      const { wire: again } = dialect.encodeRequest(each, { repair: false });
      if (!sameJson(again, wire)) expect(stringifyJson(again)).toBe(stringifyJson(wire));
      dialect.encodeRequest(each);
    }
  };
  fc.assert(fc.property(request, comesBack), { numRuns: 2 * RUNS });
  expect(read).toBeGreaterThan(RUNS);
});

function arrives<T>(value: T, encode: (value: T) => Encoded): void {
  expect(silentLosses(value, encode)).toStrictEqual([]);
}

test("B58: any answer arrives or is reported, and what was written is read as it stands", () => {
  const check = fc.property(response, ({ usage, ...rest }) => {
    const { raw: _, ...counts } = usage ?? { inputTokens: 0, outputTokens: 0, totalTokens: 0 };
    const answer = { ...rest, usage: counts };
    arrives(answer, (each) => dialect.encodeResponse(each));
    const { wire } = dialect.encodeResponse(answer);
    const again = dialect.encodeResponse(dialect.decodeResponse(wire), { repair: false });
    expect(sameJson(again.wire, wire)).toBe(true);
  });
  fc.assert(check, { numRuns: RUNS });
});

test("B58: any history arrives or is reported, and what was written is read as it stands", () => {
  const check = fc.property(fc.array(response, { maxLength: 3 }), fc.boolean(), (answers, repair) => {
    const history = { messages: answers.flatMap(({ message }) => [message, user("And then?")]) };
    arrives(history, (each) => dialect.encodeRequest(each, { repair }));
    const { wire } = dialect.encodeRequest(history, { repair });
    const again = dialect.encodeRequest(dialect.decodeRequest(wire), { repair: false });
    expect(sameJson(again.wire, wire)).toBe(true);
  });
  fc.assert(check, { numRuns: RUNS });
});
