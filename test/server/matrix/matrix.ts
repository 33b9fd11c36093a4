// Plays every cell of some clients through one Koine, and holds each to what must come of it.
import { afterAll, beforeAll, expect, test } from "vitest";
import type { KoineServer } from "../../../src/server/server.ts";
import { startKoine } from "../support/koine.ts";
import { cellsOf, nameOf } from "./cells.ts";
import { differences } from "./differences.ts";
import { exceptionsOf, expectedOf } from "./exceptions.ts";
import { providersOf } from "./koine.ts";
import type { Cell, Client, Outcome } from "./types.ts";
import { UPSTREAMS } from "./types.ts";
import type { World } from "./world.ts";
import { startWorld } from "./world.ts";

export function testMatrix(clients: readonly Client[]): void {
  let world: World;
  let koine: KoineServer;
  beforeAll(async () => {
    world = await startWorld();
    koine = await startKoine({ providers: providersOf(world) });
  });
  afterAll(async () => {
    await koine.close();
    await world[Symbol.asyncDispose]();
  });
  const outcomes = new Map<string, Outcome>();
  const cells = cellsOf(clients).map((cell): [string, Cell] => [nameOf(cell), cell]);

  test.each(cells)("%s", async (_, cell) => {
    const played = await world.play(cell, { url: koine.url, apiKey: "none" });
    outcomes.set(nameOf(cell), played.outcome);
    expect(differences(expectedOf(cell), played)).toStrictEqual([]);
    // Every exception that is claimed makes a difference.
    const exceptions = exceptionsOf(cell);
    for (const one of exceptions) {
      const others = exceptions.filter((each) => each !== one);
      expect(differences(expectedOf(cell, others), played), one.reason).not.toStrictEqual([]);
    }
  });

  // A connection that breaks, or is left, ends wherever it happens to be.
  const isWhole = (cell: Cell): boolean => expectedOf(cell).ended === undefined;
  const own = cells.filter(([, cell]) => UPSTREAMS[cell.upstream] === cell.client.dialect && isWhole(cell));
  test.each(own)("%s: the same as without Koine", async (name, cell) => {
    const { outcome } = await world.play(cell);
    expect(outcomes.get(name)).toStrictEqual(outcome);
  });
}
