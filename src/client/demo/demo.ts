// Implements the demo provider, which needs no key: a script that streams text, reasoning, tool calls and errors on
// command, and rejects the same requests as real providers. Equal requests receive equal answers.
import type { Delta } from "../../model/index.ts";
import type { Effects, FieldChecks, LocalProvider } from "../../calls/index.ts";
import {
  checkFields,
  checkFunction,
  checkNonNegative,
  checkPositiveInteger,
  checkText,
  resolveEffects,
} from "../../calls/index.ts";
import { parsePlan } from "./commands.ts";
import { streamScripts } from "./stream-script.ts";
import { createDemoError, requestError, toClientError } from "./demo-errors.ts";
import { countTokensToMiddle, cutAtStopSequence } from "./stop-early.ts";
import type { ScriptInput } from "./write-script.ts";
import { allowsReasoning, writeScript } from "./write-script.ts";
import { checkSeals, fingerprint } from "./signature.ts";
import { countInputTokens } from "./count-tokens.ts";
import { readTurn } from "./read-turn.ts";

/** Options of `demo`. */
export interface DemoOptions {
  /** The wait before each delta in milliseconds. Default 0. */
  delayMs?: number | undefined;
  /** The number of tokens per delta. Default 1. */
  chunk?: number | undefined;
  /** The issuer of the demo's seals. Demos with different issuers reject each other's seals. Default "demo". */
  issuer?: string | undefined;
  /** Replaces the real wait, for tests. */
  sleep?: Effects["sleep"] | undefined;
}

const MODEL = "koine";
const SLOW_MS = 200;
const MAX_CHOICES = 8;

const OPTIONS: FieldChecks<keyof DemoOptions> = {
  delayMs: checkNonNegative,
  chunk: checkPositiveInteger,
  issuer: checkText,
  sleep: checkFunction,
};

/**
 * Creates a provider with one scripted model, `koine`. The message "help" lists its commands.
 *
 * @example
 * ```ts
 * import { getText, user } from "koine";
 * import { createClient, demo } from "koine/client";
 *
 * const client = createClient({ providers: { demo: demo() } });
 * const answer = await client.complete({ model: "demo/koine", messages: [user("say Hello.")] });
 * console.log(getText(answer.message)); // Hello.
 * await client.close();
 * ```
 */
export function demo(options: DemoOptions = {}): LocalProvider {
  checkFields(options, OPTIONS, "");
  const { issuer = "demo", delayMs = 0, chunk = 1 } = options;
  const effects = resolveEffects(options.sleep && { sleep: options.sleep });
  return {
    issuer,
    models: [MODEL],
    answer(request, { signal }) {
      const turn = readTurn(request.messages);
      const plan = parsePlan(turn.texts);
      const deltas = answerRequest({ request, turn, plan, issuer }, chunk);
      const pauseMs = plan.slow ? Math.max(delayMs, SLOW_MS) : delayMs;
      const stalls = plan.action.kind === "stall";
      return pauseMs > 0 || stalls ? paceDeltas(deltas, (ms) => effects.sleep(ms, signal), pauseMs, stalls) : deltas;
    },
  };
}

/** Yields the deltas of the answer. Throws before the first delta for a request that a real provider would reject. */
function* answerRequest(
  { request, turn, plan, issuer }: Omit<ScriptInput, "origin" | "choice">,
  chunk: number,
): Generator<Delta> {
  const model = request.model ?? MODEL;
  if (model !== MODEL)
    throw requestError("not-found", 404, "/model", `The demo has no model "${model}", only "${MODEL}".`);
  const hasReasoned = plan.think && allowsReasoning(request);
  checkSeals(request.messages, issuer, (index) => hasReasoned && index > turn.userIndex);
  if (plan.action.kind === "error" && !plan.action.midway) throw toClientError(createDemoError(plan.action.error));
  const origin = fingerprint(JSON.stringify(request.messages.map(({ role, parts }) => [role, parts])));
  const { n = 1, stop = [], maxOutputTokens = Infinity } = request.sampling ?? {};
  if (!Number.isInteger(n) || n < 1 || n > MAX_CHOICES) {
    throw requestError(
      "invalid-request",
      400,
      "/sampling/n",
      `The demo supports 1 to ${MAX_CHOICES} choices, not ${n}.`,
    );
  }
  const choices = Array.from({ length: n }, (_, choice) => choice);
  const scripts = choices.map((choice) =>
    cutAtStopSequence(writeScript({ request, turn, plan, issuer, origin, choice }), stop),
  );
  const middle = plan.cut ? Math.min(...scripts.map(countTokensToMiddle)) : Infinity;
  const settings = { model, id: `demo_${origin}`, issuer, inputTokens: countInputTokens(request), chunk };
  yield* streamScripts(scripts, { ...settings, limit: Math.min(maxOutputTokens, middle) });
}

/** Yields the deltas with a pause before each. If `stalls` is true, waits without an end after the last delta. */
async function* paceDeltas(
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
