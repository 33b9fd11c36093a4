// The cells that differ from what every cell does, each with its reason. A test holds both: that they differ in just this
// way, and that they still do.
import type { UpstreamDialect } from "../../support/upstreams/index.ts";
import type { Cell, Expected, Mode, Turn, UpstreamName } from "./types.ts";

export interface Exception {
  /** Why, as the documentation says it. */
  reason: string;
  /** By their ids. */
  scenarios: readonly string[];
  /** Ids of clients, or the dialects that they speak; absent: all. */
  clients?: readonly string[];
  dialects?: readonly UpstreamDialect[];
  upstreams?: readonly UpstreamName[];
  modes?: readonly Mode[];
  change: (expected: Expected, cell: Cell) => Expected;
}

export const EXCEPTIONS: readonly Exception[] = [];

/** Changes every turn. */
export function eachTurn(change: (turn: Partial<Turn>) => Partial<Turn>): Exception["change"] {
  return (expected) => ({ ...expected, turns: expected.turns.map(change) });
}

export function exceptionsOf(cell: Cell): Exception[] {
  const { client, upstream, scenario, mode } = cell;
  return EXCEPTIONS.filter(
    ({ scenarios, clients, dialects, upstreams, modes }) =>
      scenarios.includes(scenario.id) &&
      (clients?.includes(client.id) ?? true) &&
      (dialects?.includes(client.dialect) ?? true) &&
      (upstreams?.includes(upstream) ?? true) &&
      (modes?.includes(mode) ?? true),
  );
}

/** What must come of a cell, its exceptions counted in. */
export function expectedOf(cell: Cell, exceptions = exceptionsOf(cell)): Expected {
  return exceptions.reduce((expected, { change }) => change(expected, cell), cell.scenario.expected(cell));
}
