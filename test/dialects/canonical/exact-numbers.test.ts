// Numbers beyond the precision of a double keep their digits when stored messages are upgraded, downgraded and completed.
import { describe, expect, test } from "vitest";
import { canonical } from "../../../src/dialects/canonical/index.ts";
import { parseJson, sameJson, stringifyJson } from "../../../src/model/json/index.ts";
import type { Message } from "../../../src/model/message.ts";
import { IDS, TIME } from "./samples.rows.ts";

const dialect = canonical();
const DIGITS = "12345678901234567890";

describe("B23: no digit is lost when a message is copied", () => {
  const MESSAGE = `"id":"${IDS[0]}","parentMessageId":null,"role":"assistant","createdAt":"${TIME}"`;
  const v = (schemaVersion: number, parts = "", metadata = "", beside = ""): string =>
    `[{${MESSAGE},"parts":[${parts}],"metadata":{"schemaVersion":${schemaVersion}${metadata}}${beside}}]`;
  const N = `,"n":${DIGITS}`;
  const call = `{"type":"tool-call","toolCallId":"c","toolName":"t","input":${DIGITS}}`;
  const result = `{"type":"tool-result","toolCallId":"c","toolName":"t","isError":false,"output":${DIGITS}}`;
  const fileOf = (source: string): string => `{"type":"file","mimeType":"image/png",${source}${N}}`;
  const fresh = `{"role":"user","parts":[]${N},"metadata":{"n":${DIGITS}}}`;
  const filled = `{"role":"user","parts":[]${N},"metadata":{"n":${DIGITS},"schemaVersion":2},"parentMessageId":null`;
  const rows: [sentence: string, text: string, written: string, version?: 1 | 2][] = [
    ["metadata, lifted", v(1, "", N), v(2, "", N)],
    ["metadata, upgraded and downgraded", v(1, "", N), v(1, "", N), 1],
    ["metadata, lowered", v(2, "", N), v(1, "", N), 1],
    ["metadata of an unknown version", v(99, "", N), v(2, "", N)],
    ["a field of the message, upgraded", v(1, "", "", N), v(2, "", "", N)],
    ["a field of a part, upgraded", v(1, fileOf('"url":"data:image/png;base64,aGk="')), v(2, fileOf('"data":"aGk="'))],
    ["a bare input", v(1, call), v(1, call), 1],
    ["a bare output", v(1, result), v(1, result), 1],
    [
      "a message that was never stored",
      `[${fresh}]`,
      `[${filled},"id":"00000000000000000000000001","createdAt":"1970-01-01T00:00:00.000Z"}]`,
    ],
    ["a new id", `[${v(2).slice(1, -1)},${v(2, "", N, N).slice(1)}`, expected(v(2), v(2, "", N, N))],
  ];
  function expected(first: string, second: string): string {
    return `[${first.slice(1, -1)},${second.slice(1).replace(IDS[0], "00000000000000000000000001")}`;
  }
  test.each(rows)("%s", (_, text, written, version = 2) => {
    // Messages parsed from a text may lack any field.
    const messages = parseJson(text) as unknown as Message[];
    const { wire } = dialect.encodeMessages(messages, { version });
    expect(sameJson(wire, parseJson(written)), stringifyJson(wire)).toBe(true);
  });
  test.each(rows.filter(([, text]) => !/99|^\[\{"role/.test(text)))(
    "%s, decoded first",
    (_, text, written, version = 2) => {
      const { wire } = dialect.encodeMessages(dialect.decodeMessages(parseJson(text)), { version });
      expect(sameJson(wire, parseJson(written)), stringifyJson(wire)).toBe(true);
    },
  );
});
