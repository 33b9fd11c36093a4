// Runs every cell of some clients through one Koine and checks its outcome.
import { afterAll, beforeAll, expect, test } from "vitest";
import type { KoineServer } from "../../../src/server/server.ts";
import { sampleInQuickRun } from "../../support/quick-run.ts";
import { startKoine } from "../support/start-koine.ts";
import { cellsOf, nameOf } from "./cells.ts";
import { differences } from "./differences.ts";
import { exceptionsOf, expectedOf } from "./exceptions.rows.ts";
import { providersOf } from "./koine-config.ts";
import type { Cell, Client, Outcome } from "./types.ts";
import { UPSTREAMS } from "./types.ts";
import type { MatrixUpstreams } from "./matrix-upstreams.ts";
import { startWorld } from "./matrix-upstreams.ts";

export function testMatrix(clients: readonly Client[]): void {
  let upstreams: MatrixUpstreams;
  let koine: KoineServer;
  beforeAll(async () => {
    upstreams = await startWorld();
    koine = await startKoine({ providers: providersOf(upstreams) });
  });
  afterAll(async () => {
    await koine.close();
    await upstreams[Symbol.asyncDispose]();
  });
  const outcomes = new Map<string, Outcome>();
  const cells = sampleInQuickRun(cellsOf(clients)).map((cell): [string, Cell] => [nameOf(cell), cell]);

  test.each(cells)("%s", async (_, cell) => {
    const played = await upstreams.play(cell, { url: koine.url, apiKey: "none" });
    outcomes.set(nameOf(cell), played.outcome);
    expect(differences(expectedOf(cell), played)).toStrictEqual([]);
    // Every listed exception must make a difference.
    const exceptions = exceptionsOf(cell);
    for (const one of exceptions) {
      const others = exceptions.filter((each) => each !== one);
      expect(differences(expectedOf(cell, others), played), one.reason).not.toStrictEqual([]);
    }
  });

  // A broken or aborted connection may end anywhere.
  const isWhole = (cell: Cell): boolean => expectedOf(cell).ended === undefined;
  const own = cells.filter(([, cell]) => UPSTREAMS[cell.upstream] === cell.client.dialect && isWhole(cell));
  test.each(own)("%s: the same as without Koine", async (name, cell) => {
    const { outcome } = await upstreams.play(cell);
    expect(outcomes.get(name)).toStrictEqual(outcome);
  });
}
