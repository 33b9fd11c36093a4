// Signatures behind plain clients: what a client does not send back comes out of the ledger, for upstreams that refuse
// what is missing or altered, on a server that has just been started, and on another instance.
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { chatClient } from "./clients/openai-chat.ts";
import { officialClients } from "./clients/index.ts";
import { differences } from "./differences.ts";
import { providersOf } from "./koine.ts";
import type { MovingKoine } from "./places.ts";
import { alternatingKoine, restartingKoine } from "./places.ts";
import { SCENARIOS } from "./scenarios/index.ts";
import type { Cell, Client, Mode, Scenario, UpstreamName } from "./types.ts";
import { MODES } from "./types.ts";
import type { World } from "./world.ts";
import { startWorld } from "./world.ts";

let world: World;
beforeAll(async () => {
  world = await startWorld();
});
afterAll(() => world[Symbol.asyncDispose]());

/** The loop with reasoning, by a client that knows nothing of it; Koine moves whenever a tool is run. */
function plainLoop(koine: MovingKoine): Scenario {
  const found = SCENARIOS.find(({ id }) => id === "reasoning");
  if (found === undefined) throw new Error("There is no such scenario.");
  const result = async (): Promise<string> => {
    await koine.move();
    return "calm";
  };
  return {
    ...found,
    task: { ...found.task, plain: true, result },
    // What the client can see of it is the matrix's own matter.
    expected: (at) => {
      const { turns, heard: { calls = [] } = {}, ...expected } = found.expected(at);
      return { ...expected, heard: { calls }, turns: turns.map(({ text = "", calls = [] }) => ({ text, calls })) };
    },
  };
}

async function playLoop(koine: MovingKoine, client: Client, upstream: UpstreamName, mode: Mode): Promise<string[]> {
  const scenario = plainLoop(koine);
  const cell: Cell = { client, upstream, scenario, mode };
  return differences(scenario.expected(cell), await world.play(cell, { url: koine.url, apiKey: "none" }));
}

/** They refuse what comes without its signature, or with another one. */
const STRICT = ["anthropic", "gemini"] as const;
const SEALING: readonly UpstreamName[] = [...STRICT, "responses", "router"];

/** The Responses upstream keeps nothing, so that its reasoning must come back encrypted. */
function config(): Parameters<typeof restartingKoine>[0] {
  const providers = providersOf(world);
  return { providers: { ...providers, responses: { ...world.upstreams.responses.config, store: false } } };
}

describe("closed and opened again between the steps, on SQLite", () => {
  let koine: MovingKoine;
  beforeAll(async () => {
    koine = await restartingKoine(config());
  });
  afterAll(() => koine[Symbol.asyncDispose]());

  const rows = officialClients.flatMap((client) =>
    SEALING.flatMap((upstream) =>
      // A restart takes its time: whole answers are tried with the plainest client.
      (client === chatClient ? MODES : (["stream"] as const)).map(
        (mode) => [client.id, upstream, mode, client] as const,
      ),
    ),
  );
  test.each(rows)(
    "B11: a plain %s client's tool loop on %s keeps every signature, %s",
    async (_, upstream, mode, client) => {
      expect(await playLoop(koine, client, upstream, mode)).toStrictEqual([]);
    },
  );
});

describe("two instances on one PostgreSQL take turns", () => {
  let koine: MovingKoine;
  beforeAll(async () => {
    koine = await alternatingKoine(config());
  });
  afterAll(() => koine[Symbol.asyncDispose]());

  const rows = STRICT.flatMap((upstream) => MODES.map((mode) => [upstream, mode] as const));
  test.each(rows)("B11: a Chat client's tool loop on %s keeps every signature, %s", async (upstream, mode) => {
    expect(await playLoop(koine, chatClient, upstream, mode)).toStrictEqual([]);
  });
});
