// One vocabulary of losses: a code means the same in every dialect.
import { expect, test } from "vitest";
import { dialect, dialects } from "../../src/dialects/registry.ts";

/** The codes that are declared in more than one way. */
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

test("a code is as bad in one dialect as in another", () => {
  expect(disagreements(dialects, "level")).toStrictEqual([]);
});

test("a code stands for one action in all dialects that carry requests", () => {
  // Interchange shapes repair nothing: what is a repair elsewhere is simply how they say it.
  const providers = dialects.filter((id) => dialect(id).supports.has("requests"));
  expect(disagreements(providers, "action")).toStrictEqual([]);
});
