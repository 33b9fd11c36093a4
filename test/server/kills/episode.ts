// Runs one episode: instances on one database under load, killed repeatedly; then a quiet phase and the collection of
// evidence.
import { randomUUID } from "node:crypto";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { openLedger } from "../../../src/ledger/index.ts";
import { effectServer } from "../../agent/kills/effect-server.ts";
import { readEffects } from "../../agent/kills/effect-log.ts";
import { startMcpHttp } from "../../agent/support/mcp-http.ts";
import { SeededRandom } from "../../ledger/crash/campaign/seeded-random.ts";
import { converse } from "./chat-client.ts";
import type { Conversation, Evidence, Fault, ReaderEvidence } from "./evidence.ts";
import { freePort, Instance } from "./instance.ts";
import { killAlong, type Way } from "./killer.ts";
import { isEnd, readThreads, replayThread, settle, writeEnd } from "./ledger-evidence.ts";
import { type Model, startModel } from "./campaign-model.ts";
import { Network } from "./network.ts";
import { Reader } from "./event-reader.ts";
import { command, type TaskResult } from "./task-client.ts";

export interface EpisodeOptions {
  /** The bundled `koine` program. */
  program: string;
  /** The folder for settings and tool effects. */
  folder: string;
  /** An unused database, as for `koine serve --database`. */
  database: string;
  instances: 1 | 2;
  seed: number;
  /** How instances are ended, in order. */
  plan: readonly Way[];
  /** The number of clients of each kind. */
  clients: number;
  leaseMs: number;
  pauseMs: readonly [least: number, more: number];
  onEnd?: (way: Way) => void;
}

export interface Figures {
  ways: Map<Way, number>;
  calls: number;
  broken: number;
  refusals: Map<string, number>;
  callCount: number;
  resumed: number;
  moved: number;
  recovered: number;
  logged: Map<string, number>;
}

const TURNS = 6;
/** Deltas are stored for a minute after a run has ended. */
const RECENT_MS = 50_000;

export async function playEpisode(options: EpisodeOptions): Promise<{ evidence: Evidence; figures: Figures }> {
  const { folder, database, seed } = options;
  const random = new SeededRandom(seed);
  const record = join(folder, `effects-${randomUUID()}.jsonl`);
  const mcp = await startMcpHttp({ makeServer: () => effectServer(record, "") });
  const model = await startModel(new SeededRandom(random.seed()));
  const instances = await makeInstances(options, settingsOf(options, mcp.url, model.url));
  const ledger = await openLedger(database, { connections: 4 });
  const startedAt = performance.now();
  try {
    await Promise.all(instances.map((each) => each.start()));
    const scene = new Scene(options, random, instances);
    const { conversations, tasks } = await scene.play();
    await settle(ledger);
    for (const threadId of scene.readers.keys()) await writeEnd(ledger, threadId);
    await Promise.all(scene.readings);
    const isRecent = performance.now() - startedAt < RECENT_MS;
    const readings: ReaderEvidence[] = [];
    for (const [threadId, { received }] of scene.readers) {
      readings.push({ of: "thread", threadId, received, replayed: await replayThread(ledger, threadId) });
    }
    for (const { task, reader, replay } of tasks) {
      readings.push({ of: "task", threadId: task.id, received: reader.received, replayed: await replay() });
    }
    const threads = await readThreads(ledger);
    await Promise.all(instances.map((each) => each.end()));
    const effects = readEffects(record);
    const faults = faultsOf(scene.network, instances, model);
    const evidence = {
      conversations,
      tasks: tasks.map(({ task }) => task),
      readings,
      threads,
      effects,
      faults,
      isRecent,
    };
    return { evidence, figures: scene.figures(model, tasks) };
  } finally {
    await Promise.all(instances.map((each) => each.kill()));
    await ledger.close();
    await model.stop();
    await mcp.stop();
  }
}

/** The clients and the killer. */
class Scene {
  readonly network: Network;
  /** Readers of conversations, by thread. */
  readonly readers = new Map<string, Reader>();
  readonly readings: Promise<void>[] = [];
  readonly #options: EpisodeOptions;
  readonly #random: SeededRandom;
  readonly #instances: readonly [Instance, ...Instance[]];
  readonly #ways = new Map<Way, number>();
  #isOver = false;

  constructor(options: EpisodeOptions, random: SeededRandom, instances: readonly [Instance, ...Instance[]]) {
    this.#options = options;
    this.#random = random;
    this.#instances = instances;
    const [first, ...others] = instances;
    this.network = new Network([first.url, ...others.map(({ url }) => url)], new SeededRandom(random.seed()));
  }

  async play(): Promise<{ conversations: Conversation[]; tasks: TaskResult[] }> {
    const { clients } = this.#options;
    const names = Array.from({ length: clients }, (_, at) => at);
    const chats = names.map((at) => this.#chat(`c${at}`, new SeededRandom(this.#random.seed())));
    const commands = names.map((at) =>
      command({
        network: this.network,
        random: new SeededRandom(this.#random.seed()),
        name: `t${at}`,
        isOver: () => this.#isOver,
      }),
    );
    await this.#kill();
    const conversations = (await Promise.all(chats)).flat();
    const tasks = (await Promise.all(commands)).filter((result) => result !== undefined);
    return { conversations, tasks };
  }

  /** Runs conversations one after the other. */
  async #chat(client: string, random: SeededRandom): Promise<Conversation[]> {
    const conversations: Conversation[] = [];
    while (!this.#isOver) {
      const name = `${client}-${conversations.length}`;
      const isFollowed = random.chance(0.5);
      const turns = 1 + random.below(TURNS);
      const onThread = (threadId: string): void => {
        if (!isFollowed) return;
        const reader = new Reader(this.network, `/v1/threads/${threadId}/events`, isEnd);
        this.readers.set(threadId, reader);
        this.readings.push(reader.read());
      };
      conversations.push(
        await converse({ network: this.network, random, name, turns, isOver: () => this.#isOver, onThread }),
      );
    }
    return conversations;
  }

  async #kill(): Promise<void> {
    const { plan, leaseMs, pauseMs, onEnd } = this.#options;
    const random = this.#random;
    const instances = this.#instances;
    try {
      await killAlong({
        instances,
        random,
        leaseMs,
        pauseMs,
        plan,
        onDone: (way) => {
          this.#ways.set(way, (this.#ways.get(way) ?? 0) + 1);
          onEnd?.(way);
        },
      });
    } finally {
      this.#isOver = true;
    }
  }

  figures(model: Model, tasks: readonly TaskResult[]): Figures {
    const { calls, broken, refusals } = this.network;
    const readers = [...this.readers.values(), ...tasks.map(({ reader }) => reader)];
    const logged = new Map<string, number>();
    for (const instance of this.#instances) {
      for (const [event, times] of instance.logged) logged.set(event, (logged.get(event) ?? 0) + times);
    }
    return {
      ways: this.#ways,
      calls,
      broken,
      refusals,
      callCount: model.callCount,
      resumed: readers.reduce((sum, { resumed }) => sum + resumed, 0),
      moved: readers.reduce((sum, { moved }) => sum + moved, 0),
      recovered: this.#instances.reduce((sum, { recovered }) => sum + recovered, 0),
      logged,
    };
  }
}

async function makeInstances(
  { program, database, folder, instances }: EpisodeOptions,
  settings: object,
): Promise<[Instance, ...Instance[]]> {
  const config = join(folder, `koine-${randomUUID()}.json`);
  writeFileSync(config, JSON.stringify(settings));
  const make = async (): Promise<Instance> => new Instance({ program, config, database, port: await freePort() });
  return instances === 1 ? [await make()] : [await make(), await make()];
}

function settingsOf({ leaseMs, clients }: EpisodeOptions, mcpUrl: string, modelUrl: string): object {
  return {
    providers: { campaign: { dialect: "anthropic", baseUrl: modelUrl, apiKey: "campaign-key-0123456789" } },
    tasks: { model: "campaign/campaign", mcpServers: { effects: { url: mcpUrl, retry: { safe: "safe" } } } },
    ledger: { leaseMs, connections: Math.max(4, clients) },
    heartbeatMs: 500,
    drainMs: 1000,
  };
}

function faultsOf(network: Network, instances: readonly Instance[], model: Model): Evidence["faults"] {
  const faults: Fault[] = instances.flatMap(({ faults }) => faults);
  const starts = instances.reduce((sum, each) => sum + each.starts, 0);
  return {
    served: { looked: network.calls + network.faults.length, faults: network.faults },
    alive: { looked: starts, faults },
    restored: { looked: model.shown, faults: model.faults },
  };
}
