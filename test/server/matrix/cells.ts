// Lists all cells of the matrix.
import { SCENARIOS } from "./scenarios/index.ts";
import type { Cell, Client } from "./types.ts";
import { PROVIDERS } from "./types.ts";

export function cellsOf(clients: readonly Client[]): Cell[] {
  return clients.flatMap((client) =>
    SCENARIOS.flatMap((scenario) =>
      (scenario.upstreams ?? PROVIDERS).flatMap((upstream) =>
        scenario.modes.map((mode) => ({ client, upstream, scenario, mode })),
      ),
    ),
  );
}

/** Returns the title of a cell. */
export function nameOf({ client, upstream, scenario, mode }: Cell): string {
  return `${client.id} on ${upstream}: ${scenario.id}, ${mode}`;
}
