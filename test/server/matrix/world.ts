// The upstreams of the matrix, what they are told to say, and how one cell is played: through Koine, or without it.
import type { ReceivedRequest } from "../../../src/testkit/index.ts";
import type { Scripted, Upstream } from "../../support/upstreams/index.ts";
import { startUpstream } from "../../support/upstreams/index.ts";
import { heard } from "./heard.ts";
import type { Cell, Heard, Outcome, Place, UpstreamName } from "./types.ts";
import { UPSTREAMS } from "./types.ts";

/** What came of a cell. */
export interface Played {
  outcome: Outcome;
  /** Of the last request. */
  heard: Heard | undefined;
  answered: number;
  ended: "sent" | "reset" | "aborted" | undefined;
  /** Seals of all answers but the last which the last request did not bring back. */
  missingSeals: string[];
  /** What the upstream said no to. */
  refusals: string[];
}

/** Tells the upstreams what to say in the cell that is being played. */
class Prompter {
  answers: readonly Scripted[] = [];
  turn = 0;
  asked: () => void = () => undefined;

  begin(answers: readonly Scripted[], asked: () => void): void {
    this.answers = answers;
    this.turn = 0;
    this.asked = asked;
  }

  next(): Scripted {
    const answer = this.answers[this.turn];
    if (answer === undefined) throw new Error(`There are ${this.turn} answers, and this is one more.`);
    this.turn++;
    this.asked();
    return answer;
  }
}

export interface World extends AsyncDisposable {
  readonly upstreams: Readonly<Record<UpstreamName, Upstream>>;
  /** Plays a cell against whoever stands at the place; by default the provider itself. */
  play(cell: Cell, place?: Pick<Place, "url" | "apiKey">): Promise<Played>;
}

export async function startWorld(): Promise<World> {
  const prompter = new Prompter();
  const start = (name: UpstreamName): Promise<Upstream> =>
    startUpstream(UPSTREAMS[name], () => prompter.next(), {
      name,
      ...(name === "router" && { vendor: "openrouter" as const }),
    });
  const upstreams = {
    chat: await start("chat"),
    responses: await start("responses"),
    anthropic: await start("anthropic"),
    gemini: await start("gemini"),
    router: await start("router"),
  };
  return {
    upstreams,
    play: (cell, place) => play(cell, upstreams[cell.upstream], prompter, place),
    async [Symbol.asyncDispose]() {
      await Promise.all(Object.values(upstreams).map((upstream) => upstream.close()));
    },
  };
}

async function play(
  cell: Cell,
  upstream: Upstream,
  prompter: Prompter,
  at: Pick<Place, "url" | "apiKey"> | undefined,
): Promise<Played> {
  const { client, upstream: name, scenario, mode } = cell;
  const asked = upstream.requests.length;
  const answered = upstream.answered;
  const refused = upstream.refusals.length;
  const sealed = upstream.seals.length;
  const sealsBefore: number[] = [];
  const leaving = new AbortController();
  const isLeaving = scenario.task.abort === true;
  const answers = scenario.answers(cell);
  prompter.begin(answers, () => {
    sealsBefore.push(upstream.seals.length);
    if (isLeaving && mode === "whole") leaving.abort();
  });
  const model = scenario.models?.[name] ?? upstream.model;
  const outcome = await client.play(scenario.task, mode, {
    ...(at ?? { url: upstream.url, apiKey: upstream.apiKey }),
    model: at === undefined ? model : `${name}/${model}`,
    ...(scenario.headers !== undefined && { headers: scenario.headers }),
    signal: leaving.signal,
    heard: () => {
      if (isLeaving && mode === "stream") leaving.abort();
    },
  });
  const last = upstream.requests.slice(asked).at(-1);
  const issued = upstream.seals.slice(sealed, sealsBefore.at(-1) ?? sealed);
  return {
    outcome,
    heard: last && heard(UPSTREAMS[name], last),
    answered: upstream.answered - answered,
    ended: await last?.ended,
    missingSeals: issued.filter((seal) => !brings(last, seal)),
    refusals: upstream.refusals.slice(refused).map(({ message }) => message),
  };
}

function brings(request: ReceivedRequest | undefined, seal: string): boolean {
  return JSON.stringify(request?.body ?? null).includes(seal);
}
