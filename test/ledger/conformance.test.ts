// Every store keeps the contract of stores.
import { afterAll, beforeAll, describe, test } from "vitest";
import { memoryStore } from "../../src/ledger/stores/memory/index.ts";
import { storeConformance } from "../../src/testkit/index.ts";
import { type Place, STORES } from "./support/stores.ts";

describe("memory", () => {
  for (const { title, run } of storeConformance(() => Promise.resolve(memoryStore()), { name: "memory" })) {
    test(title, run);
  }
});

describe.each(STORES.filter(({ name }) => name !== "memory"))("$name", (tested) => {
  let place: Place;
  beforeAll(async () => {
    place = await tested.place();
  });
  afterAll(() => place.remove());
  for (const { title, run } of storeConformance(() => place.openStore(), { name: tested.name, isShared: true }))
    test(title, run);
});
