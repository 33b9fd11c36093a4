// The catalog of losses: a code has one meaning in every dialect.
import { expect, test } from "vitest";
import { PROVIDER_LOSSES } from "../../../src/dialects/kit/losses/provider-catalog.ts";
import { dialect, dialects } from "../../../src/dialects/registry.ts";

/** Returns the codes whose `field` differs between dialects. */
function disagreements(ids: readonly string[], field: "action" | "level"): string[] {
  const meanings = new Map<string, Set<string>>();
  for (const id of ids) {
    for (const [code, declared] of Object.entries(dialect(id).losses)) {
      meanings.set(code, (meanings.get(code) ?? new Set()).add(declared[field]));
    }
  }
  expect(meanings.size).toBeGreaterThan(50);
  return [...meanings].flatMap(([code, each]) => (each.size > 1 ? [`${code}: ${[...each].join(", ")}`] : []));
}

test("a code has the same level in every dialect", () => {
  expect(disagreements(dialects, "level")).toStrictEqual([]);
});

test("a code has the same action in all dialects that support requests", () => {
  // Interchange shapes make no repairs: a repair of a provider can be the plain form of a shape.
  const providers = dialects.filter((id) => dialect(id).supports.has("requests"));
  expect(disagreements(providers, "action")).toStrictEqual([]);
});

test.each([...dialects])("the losses of %s are sentences without placeholders", (id) => {
  const messages = Object.values(dialect(id).losses).map(({ message }) => message);
  expect(messages.filter((message) => message.includes("{target}") || !/^[a-zA-Z].*\.$/.test(message))).toStrictEqual(
    [],
  );
});

test("a code of several dialects is in the catalog, unless each declares its own sentence", () => {
  const counts = new Map<string, number>();
  for (const code of dialects.flatMap((id) => Object.keys(dialect(id).losses))) {
    counts.set(code, (counts.get(code) ?? 0) + 1);
  }
  const shared = [...counts].flatMap(([code, count]) => (count > 1 ? [code] : []));
  expect(shared.filter((code) => !Object.hasOwn(PROVIDER_LOSSES, code))).toStrictEqual([
    "result-executor-approximated",
  ]);
});
