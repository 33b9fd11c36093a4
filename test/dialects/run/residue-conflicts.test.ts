// Residue of the run shape whose key has another value after an edit: never a silent loss.
import { describe, expect, test } from "vitest";
import { run } from "../../../src/dialects/run/index.ts";
import type { Message } from "../../../src/model/message.ts";
import { user } from "../../../src/model/message.ts";

const dialect = run();
const STAMP = { runId: "run-1", timestamp: "2026-03-01T10:00:00.000Z" };

describe("residue", () => {
  const clashes: [sentence: string, message: Message, path: string, expected: object][] = [
    [
      "of a message",
      { ...user([]), metadata: STAMP, extra: { run: { role: "king" } } },
      "/0/extra/run/role",
      { role: "user" },
    ],
    [
      "of its meta",
      { ...user([]), metadata: { ...STAMP, key: 2 }, extra: { run: { meta: { key: 1 } } } },
      "/0/extra/run/meta/key",
      { meta: { key: 2 } },
    ],
    [
      "under the key of meta",
      { ...user([]), metadata: { ...STAMP, key: 1 }, extra: { run: { meta: 5 } } },
      "/0/extra/run/meta",
      { meta: { key: 1 } },
    ],
    [
      "of a part",
      { ...user([{ type: "text", text: "Hi", extra: { run: { kind: "song" } } }]), metadata: STAMP },
      "/0/parts/0/extra/run/kind",
      { parts: [{ kind: "text" }] },
    ],
    [
      "of a payload",
      { ...user([{ type: "text", text: "Hi", extra: { run: { payload: { text: "Ho" } } } }]), metadata: STAMP },
      "/0/parts/0/extra/run/payload/text",
      { parts: [{ payload: { text: "Hi" } }] },
    ],
    [
      "of a part of an unknown kind",
      {
        ...user([{ type: "opaque", dialect: "run", value: { kind: "song" }, extra: { run: { key: 1 } } }]),
        metadata: STAMP,
      },
      "/0/parts/0/extra/run",
      { parts: [{ kind: "song" }] },
    ],
  ];
  test.each(clashes)("an unknown field %s whose key is used is dropped and reported", (_, message, path, expected) => {
    const encoded = dialect.encodeMessages([message]);
    expect(encoded.losses).toMatchObject([{ code: "residue-conflict", path }]);
    expect(encoded.wire).toMatchObject([expected]);
  });

  test("an empty meta accepts a new key without a loss", () => {
    const [message] = dialect.decodeMessages([{ ...STAMP, role: "user", parts: [], meta: {} }]);
    const edited: Message = { ...user([]), ...message, metadata: { ...message?.metadata, key: 1 } };
    expect(dialect.encodeMessages([edited])).toStrictEqual({
      wire: [{ ...STAMP, role: "user", parts: [], meta: { key: 1 } }],
      losses: [],
    });
  });
});
