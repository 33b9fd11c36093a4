// Signatures with plain clients: data that a client does not send back is restored from the ledger, for upstreams that
// reject missing or altered signatures, after a restart and on another instance.
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { chatClient } from "./clients/openai-chat.ts";
import { officialClients } from "./clients/index.ts";
import { differences } from "./differences.ts";
import { providersOf } from "./koine-config.ts";
import type { MovingKoine } from "./moving-koine.ts";
import { alternatingKoine, restartingKoine } from "./moving-koine.ts";
import { SCENARIOS } from "./scenarios/index.ts";
import type { Cell, Client, Mode, Scenario, UpstreamName } from "./types.ts";
import { MODES } from "./types.ts";
import type { MatrixUpstreams } from "./matrix-upstreams.ts";
import { startWorld } from "./matrix-upstreams.ts";

let upstreams: MatrixUpstreams;
beforeAll(async () => {
  upstreams = await startWorld();
});
afterAll(() => upstreams[Symbol.asyncDispose]());

/** A tool loop with reasoning by a plain client; Koine moves at every tool call. */
function plainLoop(koine: MovingKoine): Scenario {
  const scenario = SCENARIOS.find(({ id }) => id === "reasoning");
  if (scenario === undefined) throw new Error("There is no such scenario.");
  const result = async (): Promise<string> => {
    await koine.move();
    return "calm";
  };
  return {
    ...scenario,
    task: { ...scenario.task, plain: true, result },
    // The client's view is checked by the matrix.
    expected: (at) => {
      const { turns, upstreamRequest: { calls = [] } = {}, ...expected } = scenario.expected(at);
      return {
        ...expected,
        upstreamRequest: { calls },
        turns: turns.map(({ text = "", calls = [] }) => ({ text, calls })),
      };
    },
  };
}

async function playLoop(koine: MovingKoine, client: Client, upstream: UpstreamName, mode: Mode): Promise<string[]> {
  const scenario = plainLoop(koine);
  const cell: Cell = { client, upstream, scenario, mode };
  return differences(scenario.expected(cell), await upstreams.play(cell, { url: koine.url, apiKey: "none" }));
}

/** Upstreams that reject missing or altered signatures. */
const STRICT = ["anthropic", "gemini"] as const;
const SEALING: readonly UpstreamName[] = [...STRICT, "responses", "router"];

/** The Responses upstream does not store answers, so its reasoning must return encrypted. */
function config(): Parameters<typeof restartingKoine>[0] {
  const providers = providersOf(upstreams);
  return { providers: { ...providers, responses: { ...upstreams.upstreams.responses.config, store: false } } };
}

describe("restarted between the steps, on SQLite", () => {
  let koine: MovingKoine;
  beforeAll(async () => {
    koine = await restartingKoine(config());
  });
  afterAll(() => koine[Symbol.asyncDispose]());

  const rows = officialClients.flatMap((client) =>
    SEALING.flatMap((upstream) =>
      // A restart is slow, so whole answers are tested with one client only.
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

describe("two instances on one PostgreSQL alternate", () => {
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
