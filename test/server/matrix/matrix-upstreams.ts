// The upstreams of the matrix with their scripted answers, and the function that plays a cell, with or without Koine.
import type { ReceivedRequest } from "../../../src/testkit/index.ts";
import type { Scripted, Upstream } from "../../support/upstreams/index.ts";
import { startUpstream } from "../../support/upstreams/index.ts";
import { readUpstreamRequest } from "./upstream-request.ts";
import type { Cell, UpstreamRequest, Outcome, ClientAddress, UpstreamName } from "./types.ts";
import { UPSTREAMS } from "./types.ts";

/** The outcome of a cell. */
export interface Played {
  outcome: Outcome;
  /** The last request. */
  upstreamRequest: UpstreamRequest | undefined;
  answered: number;
  ended: "sent" | "reset" | "aborted" | undefined;
  /** Seals of earlier answers that the last request did not contain. */
  missingSeals: string[];
  /** Rejections of the upstream. */
  refusals: string[];
}

/** Scripts the upstreams for the current cell. */
class UpstreamScripts {
  answers: readonly Scripted[] = [];
  turn = 0;
  onCall: () => void = () => undefined;

  begin(answers: readonly Scripted[], onCall: () => void): void {
    this.answers = answers;
    this.turn = 0;
    this.onCall = onCall;
  }

  next(): Scripted {
    const answer = this.answers[this.turn];
    if (answer === undefined) throw new Error(`There are ${this.turn} answers, and this is one more.`);
    this.turn++;
    this.onCall();
    return answer;
  }
}

export interface MatrixUpstreams extends AsyncDisposable {
  readonly upstreams: Readonly<Record<UpstreamName, Upstream>>;
  /** Plays a cell at an address; default: the provider itself. */
  play(cell: Cell, address?: Pick<ClientAddress, "url" | "apiKey">): Promise<Played>;
}

export async function startWorld(): Promise<MatrixUpstreams> {
  const prompter = new UpstreamScripts();
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
    play: (cell, address) => play(cell, upstreams[cell.upstream], prompter, address),
    async [Symbol.asyncDispose]() {
      await Promise.all(Object.values(upstreams).map((upstream) => upstream.close()));
    },
  };
}

async function play(
  cell: Cell,
  upstream: Upstream,
  prompter: UpstreamScripts,
  at: Pick<ClientAddress, "url" | "apiKey"> | undefined,
): Promise<Played> {
  const { client, upstream: name, scenario, mode } = cell;
  const onCall = upstream.requests.length;
  const answered = upstream.answered;
  const refused = upstream.rejections.length;
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
    onText: () => {
      if (isLeaving && mode === "stream") leaving.abort();
    },
  });
  const last = upstream.requests.slice(onCall).at(-1);
  const issued = upstream.seals.slice(sealed, sealsBefore.at(-1) ?? sealed);
  return {
    outcome,
    upstreamRequest: last && readUpstreamRequest(UPSTREAMS[name], last),
    answered: upstream.answered - answered,
    ended: await last?.ended,
    missingSeals: issued.filter((seal) => !brings(last, seal)),
    refusals: upstream.rejections.slice(refused).map(({ message }) => message),
  };
}

function brings(request: ReceivedRequest | undefined, seal: string): boolean {
  return JSON.stringify(request?.body ?? null).includes(seal);
}
