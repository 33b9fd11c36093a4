// Tests that every store fulfills the contract.
import { afterAll, beforeAll, describe, test } from "vitest";
import { memoryStore } from "../../../src/ledger/stores/memory/index.ts";
import { storeConformance } from "../../../src/testkit/index.ts";
import { type EmptyDatabase, STORES } from "../support/stores.ts";

describe("memory", () => {
  for (const { title, run } of storeConformance(() => Promise.resolve(memoryStore()), { name: "memory" })) {
    test(title, run);
  }
});

describe.each(STORES.filter(({ name }) => name !== "memory"))("$name", (tested) => {
  let database: EmptyDatabase;
  beforeAll(async () => {
    database = await tested.place();
  });
  afterAll(() => database.remove());
  for (const { title, run } of storeConformance(() => database.openStore(), { name: tested.name, isShared: true }))
    test(title, run);
});
