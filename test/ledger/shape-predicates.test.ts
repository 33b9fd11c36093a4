// Tests that the predicates accept a message exactly if the model's validation finds no issue.
import { describe, expect, test } from "vitest";
import { type Message, parseJson, readMessage, SCHEMA_VERSION, stringifyJson } from "../../src/index.ts";
import { isStorableMessage, isCurrentMessage } from "../../src/ledger/shape-predicates.ts";
import { json } from "../../src/model/validation/shape.ts";
import { message as messageShape } from "../../src/model/validation/message-shapes.ts";
import { structuralIssues } from "../../src/model/validation/validate.ts";
import { canonicalMessages } from "../../src/testkit/index.ts";

const ODD: unknown[] = [undefined, null, 1.5, Number.NaN, "x", [null], { type: 7 }, new Map()];

/** Returns the value and copies in which one field is replaced or removed. */
function* variants(value: unknown): Generator<unknown, void, void> {
  yield value;
  if (typeof value !== "object" || value === null) return;
  for (const [key, member] of Object.entries(value)) {
    for (const variant of [...variants(member), ...ODD]) {
      yield Array.isArray(value) ? value.with(Number(key), variant) : { ...value, [key]: variant };
    }
  }
}

const exhibits = canonicalMessages().map((message) => ({ role: message.role, message }));

test("there are messages to test", () => {
  expect(exhibits.length).toBeGreaterThan(0);
});

/** True if the model reads a value as a message without changes. */
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

  test("is storable exactly if JSON contains all of it and it can be read back", () => {
    const wrong: unknown[] = [];
    let unsound = 0;
    for (const variant of variants(message) as Iterable<Message>) {
      const isSound = isStorableMessage(variant);
      if (!isSound) unsound++;
      const lost = structuralIssues(variant, json);
      // An undefined field does not exist once written.
      const isRight = isSound ? lost.length === 0 && isReadAsItIs(asRecord(variant)) : explain(variant).length > 0;
      if (!isRight) wrong.push(variant);
    }
    expect(wrong).toStrictEqual([]);
    expect(unsound).toBeGreaterThan(0);
  });

  test("is a valid record exactly if it is read back unchanged", () => {
    const records = Array.from(variants(message) as Iterable<Message>, asRecord);
    expect(records.filter((record) => isCurrentMessage(record) !== isReadAsItIs(record))).toStrictEqual([]);
    expect(isCurrentMessage(asRecord(message))).toBe(true);
  });
});

function explain(value: unknown): unknown[] {
  return [...structuralIssues(value, messageShape), ...structuralIssues(value, json)];
}
