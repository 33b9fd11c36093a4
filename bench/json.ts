// Measures parseJson and stringifyJson, which preserve exact digits, relative to JSON.parse and JSON.stringify, with
// generated chat requests.

import { parseJson, stringifyJson } from "../src/index.ts";
import { median, table } from "./measure.ts";
import type { Random } from "./random.ts";
import { base64, prose, randomFrom } from "./random.ts";

const ROUNDS = 600;
const SIZE = 400_000;
const GOAL = 1.1;

function tool(random: Random, name: string): object {
  const properties = { city: { type: "string", minLength: 1 }, share: { type: "number", minimum: 0, maximum: 1.5 } };
  const parameters = { type: "object", properties, required: ["city"] };
  return { type: "function", function: { name, description: prose(random, 200), parameters } };
}

function logprobs(random: Random, count: number): object {
  const entry = (): object => ({ token: prose(random, 4), logprob: -random() * 3, bytes: [32, 116, 104, 101] });
  return { content: Array.from({ length: count }, entry) };
}

function message(random: Random, index: number, length: number): object {
  const content = prose(random, length);
  if (index % 10 === 3) {
    const url = `data:image/png;base64,${base64(random, length)}`;
    return {
      role: "user",
      content: [
        { type: "text", text: content },
        { type: "image_url", image_url: { url } },
      ],
    };
  }
  if (index % 5 === 1) {
    const call = { name: "tool_1", arguments: JSON.stringify({ city: prose(random, 20), n: index, share: 0.25 }) };
    const id = `call_${base64(random, 24)}`;
    return { role: "assistant", content, tool_calls: [{ id, type: "function", function: call }] };
  }
  return { role: index % 2 === 0 ? "user" : "assistant", content };
}

/** Returns a request whose messages have texts of `length` characters. */
function chat(length: number, beside: object = {}): string {
  const random = randomFrom(length);
  const tools = Array.from({ length: 12 }, (_, i) => tool(random, `tool_${i}`));
  const request = { model: "m", temperature: 0.7, top_p: 0.95, seed: 0, tools, ...beside };
  const messages: object[] = [];
  let left = SIZE - JSON.stringify(request).length;
  for (let i = 0; left > 0; i++) {
    const next = message(random, i, length);
    left -= JSON.stringify(next).length;
    messages.push(next);
  }
  return JSON.stringify({ ...request, messages });
}

function chunk(): string {
  const choice = { index: 0, delta: { content: " the" }, logprobs: null, finish_reason: null };
  return JSON.stringify({ id: "chatcmpl-1", object: "chunk", created: 1_721_000_000, model: "m", choices: [choice] });
}

const PAYLOADS: [name: string, text: string, repeat: number, goal: boolean][] = [
  ["messages of 200 B", chat(200), 1, true],
  ["messages of 2 kB", chat(2000), 1, true],
  ["messages of 20 kB", chat(20_000), 1, true],
  // Decimals with 17 digits may be inexact as doubles, so parseJson must search the text for them.
  ["messages of 2 kB, and logprobs", chat(2000, { logprobs: logprobs(randomFrom(2), 40) }), 1, false],
  ["nothing but logprobs", JSON.stringify(logprobs(randomFrom(1), 5000)), 1, false],
  ["a stream chunk", chunk(), 500, false],
  ["messages of 2 kB, one large integer", chat(2000, { n: 1 }).replace(/"n":1/, '"n":12345678901234567890'), 1, false],
  // Once a process has parsed an exact number, stringifyJson searches every value before it writes the value.
  ["messages of 200 B, after that", chat(200), 1, false],
];

/** Returns the time of `plain` in milliseconds and the ratio of `ours` to `plain`. Runs alternate, as load varies. */
function compare(plain: () => unknown, ours: () => unknown, repeat: number): [ms: number, ratio: number] {
  const times: [number[], number[]] = [[], []];
  const warmUp = performance.now() + 300;
  while (performance.now() < warmUp) {
    plain();
    ours();
  }
  for (let round = 0; round < ROUNDS; round++) {
    for (const [which, run] of [plain, ours].entries()) {
      const start = performance.now();
      for (let i = 0; i < repeat; i++) run();
      times[which]?.push(performance.now() - start);
    }
  }
  const [a, b] = [median(times[0]), median(times[1])];
  return [a / repeat, b / a];
}

/** Prints one table of ratios; lower is better. */
export function benchJson(): void {
  const rows = PAYLOADS.map(([payload, text, repeat, goal]) => {
    const value = parseJson(text);
    const [parseMs, parse] = compare(
      () => JSON.parse(text) as unknown,
      () => parseJson(text),
      repeat,
    );
    const [writeMs, write] = compare(
      () => JSON.stringify(value),
      () => stringifyJson(value),
      repeat,
    );
    const size = (text.length / 1000).toFixed(1);
    const wanted = goal ? `≤ ${GOAL}` : "";
    return [payload, size, parseMs.toFixed(4), parse.toFixed(3), writeMs.toFixed(4), write.toFixed(3), wanted];
  });
  table(
    "exact JSON beside JSON's own",
    ["payload", "kB", "JSON.parse ms", "parseJson ×", "JSON.stringify ms", "stringifyJson ×", "goal"],
    rows,
  );
}

if (import.meta.main) benchJson();
