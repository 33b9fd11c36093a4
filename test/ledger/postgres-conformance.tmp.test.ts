import { afterAll, describe, test } from "vitest";
import { openPostgres } from "../../src/ledger/stores/postgres/index.ts";
import { storeConformance } from "../../src/testkit/store-conformance.ts";
import { freshSchema } from "../support/postgres.ts";

const place = await freshSchema();
afterAll(() => place.drop());
describe("postgres", () => {
  const open = () => openPostgres(place.url, { schema: place.schema, connections: 6, busyMs: 10_000 });
  for (const { title, run } of storeConformance(open, { name: "postgres", isShared: true })) test(title, run);
});
