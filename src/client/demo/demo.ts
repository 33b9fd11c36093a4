// The demo: a provider without a key, for trying Koine. A small script that streams text, reasoning, tool calls and
// errors on cue, and refuses what providers refuse. The same request is always answered the same way.
import type { Delta } from "../../model/index.ts";
import type { Checks } from "../checks.ts";
import { aCount, aFunction, aText, checkFields, zeroOrAbove } from "../checks.ts";
import { resolveEffects } from "../effects.ts";
import type { Effects, LocalProvider } from "../types.ts";
import { readPlan } from "./cues.ts";
import { deltasOf } from "./deltas.ts";
import { failure, refuse, thrown } from "./failures.ts";
import { middleOf, stopAt } from "./limits.ts";
import type { Question } from "./reply.ts";
import { mayThink, scriptOf } from "./reply.ts";
import { checkSeals, fingerprint } from "./signature.ts";
import { inputTokens } from "./tokens.ts";
import { readTurn } from "./turn.ts";

export interface DemoOptions {
  /** How long it waits before each delta, in milliseconds. Default 0: it answers at once. */
  delayMs?: number | undefined;
  /** How many tokens a delta holds. Default 1. */
  chunk?: number | undefined;
  /** What it calls itself in seals: two demos with different names refuse each other's. Default "demo". */
  issuer?: string | undefined;
  /** How it waits, for tests that hold the time. */
  sleep?: Effects["sleep"] | undefined;
}

const MODEL = "koine";
const SLOW_MS = 200;
const MOST_CHOICES = 8;

const OPTIONS: Checks<keyof DemoOptions> = {
  delayMs: zeroOrAbove,
  chunk: aCount,
  issuer: aText,
  sleep: aFunction,
};

/** A scripted model named `koine`. Say "help" to it. */
export function demo(options: DemoOptions = {}): LocalProvider {
  checkFields(options, OPTIONS, "");
  const { issuer = "demo", delayMs = 0, chunk = 1 } = options;
  const effects = resolveEffects(options.sleep && { sleep: options.sleep });
  return {
    issuer,
    models: [MODEL],
    answer(request, { signal }) {
      const turn = readTurn(request.messages);
      const plan = readPlan(turn.texts);
      const deltas = play({ request, turn, plan, issuer }, chunk);
      const pauseMs = plan.slow ? Math.max(delayMs, SLOW_MS) : delayMs;
      const stalls = plan.act.kind === "stall";
      return pauseMs > 0 || stalls ? paced(deltas, (ms) => effects.sleep(ms, signal), pauseMs, stalls) : deltas;
    },
  };
}

/** Throws what a provider would refuse before it says a word. */
function* play({ request, turn, plan, issuer }: Omit<Question, "origin" | "choice">, chunk: number): Generator<Delta> {
  const model = request.model ?? MODEL;
  if (model !== MODEL) throw refuse("not-found", 404, "/model", `The demo has no model "${model}", only "${MODEL}".`);
  const thought = plan.think && mayThink(request);
  checkSeals(request.messages, issuer, (index) => thought && index > turn.asked);
  if (plan.act.kind === "error" && !plan.act.midway) throw thrown(failure(plan.act.error));
  const origin = fingerprint(JSON.stringify(request.messages.map(({ role, parts }) => [role, parts])));
  const { n = 1, stop = [], maxOutputTokens = Infinity } = request.sampling ?? {};
  if (!Number.isInteger(n) || n < 1 || n > MOST_CHOICES) {
    throw refuse("invalid-request", 400, "/sampling/n", `The demo gives 1 to ${MOST_CHOICES} choices, not ${n}.`);
  }
  const choices = Array.from({ length: n }, (_, choice) => choice);
  const scripts = choices.map((choice) => stopAt(scriptOf({ request, turn, plan, issuer, origin, choice }), stop));
  const middle = plan.cut ? Math.min(...scripts.map(middleOf)) : Infinity;
  const heading = { model, id: `demo_${origin}`, issuer, inputTokens: inputTokens(request), chunk };
  yield* deltasOf(scripts, { ...heading, limit: Math.min(maxOutputTokens, middle) });
}

async function* paced(
  deltas: Iterable<Delta>,
  wait: (ms: number) => Promise<void>,
  pauseMs: number,
  stalls: boolean,
): AsyncGenerator<Delta> {
  for (const delta of deltas) {
    if (pauseMs > 0) await wait(pauseMs);
    yield delta;
  }
  if (stalls) await wait(Infinity);
}
