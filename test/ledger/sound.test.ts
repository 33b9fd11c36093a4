// The quick test for messages says yes exactly where the model's own check finds nothing wrong.
import { describe, expect, test } from "vitest";
import { type Message, parseJson, readMessage, SCHEMA_VERSION, stringifyJson } from "../../src/index.ts";
import { isSoundMessage, isSoundRecord } from "../../src/ledger/sound.ts";
import { json } from "../../src/model/shape.ts";
import { message as messageShape } from "../../src/model/shapes.ts";
import { structuralIssues } from "../../src/model/validate.ts";
import { gallery } from "../../src/testkit/index.ts";

const ODD: unknown[] = [undefined, null, 1.5, Number.NaN, "x", [null], { type: 7 }, new Map()];

/** The value and copies of it in which one place holds something else, or nothing. */
function* variants(value: unknown): Generator<unknown, void, void> {
  yield value;
  if (typeof value !== "object" || value === null) return;
  for (const [key, member] of Object.entries(value)) {
    for (const variant of [...variants(member), ...ODD]) {
      yield Array.isArray(value) ? value.with(Number(key), variant) : { ...value, [key]: variant };
    }
  }
}

const exhibits = gallery().map((message) => ({ role: message.role, message }));

test("there are messages to look at", () => {
  expect(exhibits.length).toBeGreaterThan(0);
});

/** Whether the model's reader takes a value for a message and needs to change nothing. */
function isReadAsItIs(record: unknown): boolean {
  try {
    return readMessage(record) === record;
  } catch {
    return false;
  }
}

describe.each(exhibits)("a message of $role", ({ message }) => {
  const facts = { id: "01ARZ3NDEKTSV4RRFFQ69G5FAV", parentMessageId: null, createdAt: "2026-01-01T00:00:00.000Z" };
  const metadata = { ...message.metadata, schemaVersion: SCHEMA_VERSION };
  const asRecord = (value: object): unknown => parseJson(stringifyJson({ ...value, ...facts, metadata }));

  test("is sound where JSON holds all of it and will be read again, and only there", () => {
    const wrong: unknown[] = [];
    let unsound = 0;
    for (const variant of variants(message) as Iterable<Message>) {
      const isSound = isSoundMessage(variant);
      if (!isSound) unsound++;
      const lost = structuralIssues(variant, json);
      // A field that is undefined is no field, once written.
      const isRight = isSound ? lost.length === 0 && isReadAsItIs(asRecord(variant)) : explain(variant).length > 0;
      if (!isRight) wrong.push(variant);
    }
    expect(wrong).toStrictEqual([]);
    expect(unsound).toBeGreaterThan(0);
  });

  test("is a sound record where it is read as it is, and only there", () => {
    const records = Array.from(variants(message) as Iterable<Message>, asRecord);
    expect(records.filter((record) => isSoundRecord(record) !== isReadAsItIs(record))).toStrictEqual([]);
    expect(isSoundRecord(asRecord(message))).toBe(true);
  });
});

function explain(value: unknown): unknown[] {
  return [...structuralIssues(value, messageShape), ...structuralIssues(value, json)];
}
