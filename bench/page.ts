// Measures the delay of a streamed word: from the model to a client that streams through the gateway, and to a page
// that shows the thread in a browser. Delays are in milliseconds since the model emitted the word, by this machine's
// clock.
//   --rounds 40
import { parseArgs } from "node:util";
import type { Delta } from "../src/model/index.ts";
import type { LocalProvider } from "../src/client/index.ts";
import { launch } from "../test/page/support/chromium.ts";
import type { OpenPage } from "../test/page/support/open-page.ts";
import { openPage } from "../test/page/support/open-page.ts";
import { median, table } from "./measure.ts";

const WARM_UP = 5;
const { values } = parseArgs({ options: { rounds: { type: "string", default: "40" } } });
const rounds = Number(values.rounds);
const now = (): number => performance.timeOrigin + performance.now();
const pause = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms));

/** The times at which the model emitted the first and the last word of its last answer. */
const emittedAt = { first: 0, last: 0 };
let count = 0;

/** A model that waits, emits a unique word, continues for a while, and ends with another unique word. */
const model: LocalProvider = {
  models: ["clock"],
  async *answer(): AsyncGenerator<Delta> {
    const number = ++count;
    const word = (textDelta: string): Delta => ({ kind: "text", payload: { textDelta, partKey: 0 } });
    yield { kind: "start", payload: { modelId: "clock", requestId: `answer-${number}`, contractVersion: 1 } };
    await pause(150);
    emittedAt.first = now();
    yield word(`first${number} `);
    for (let each = 0; each < 40; each++) {
      await pause(8);
      yield word(`word${each} `);
    }
    emittedAt.last = now();
    yield word(`last${number}`);
    yield { kind: "done", payload: { finishReason: "stop" } };
  },
};

interface WordTimes {
  first: number;
  last: number;
}

/** Calls the model through the gateway and records the arrival times of the words. */
async function callModel({ koine }: OpenPage, thread: string, number: number): Promise<WordTimes> {
  const response = await fetch(`${koine.url}/v1/chat/completions`, {
    method: "POST",
    headers: { "content-type": "application/json", "x-koine-thread": thread },
    body: JSON.stringify({
      model: "model/clock",
      stream: true,
      messages: [{ role: "user", content: `Question ${number}` }],
    }),
  });
  const seen: WordTimes = { first: 0, last: 0 };
  let text = "";
  for await (const chunk of response.body ?? []) {
    text += Buffer.from(chunk).toString();
    if (seen.first === 0 && text.includes(`first${number}`)) seen.first = now();
    if (seen.last === 0 && text.includes(`last${number}`)) seen.last = now();
  }
  return seen;
}

/** Records in the page when the words appear in the document. */
function watchPage({ page }: OpenPage, number: number): Promise<WordTimes> {
  return page.evaluate(
    (answer) =>
      new Promise<{ first: number; last: number }>((resolve) => {
        const seen = { first: 0, last: 0 };
        const clock = (): number => performance.timeOrigin + performance.now();
        const look = (): void => {
          const text = document.body.textContent;
          if (seen.first === 0 && text.includes(`first${answer} `)) seen.first = clock();
          if (seen.last === 0 && text.includes(`last${answer}`)) seen.last = clock();
          if (seen.last === 0) return;
          observer.disconnect();
          resolve(seen);
        };
        const observer = new MutationObserver(look);
        observer.observe(document.body, { subtree: true, childList: true, characterData: true });
      }),
    number,
  );
}

const browser = await launch();
const opened = await openPage({ browser, config: { providers: { model } } });
const thread = (await opened.koine.ledger.createThread({ title: "How long it takes" })).id;
await opened.page.goto(`/t/${thread}`);
await opened.page.getByRole("heading", { name: "How long it takes" }).waitFor();

const delays = { raw: [] as WordTimes[], page: [] as WordTimes[] };
for (let round = -WARM_UP; round < rounds; round++) {
  const shown = watchPage(opened, count + 1);
  const raw = await callModel(opened, thread, count + 1);
  const page = await shown;
  if (round < 0) continue;
  delays.raw.push({ first: raw.first - emittedAt.first, last: raw.last - emittedAt.last });
  delays.page.push({ first: page.first - emittedAt.first, last: page.last - emittedAt.last });
}
const row = (name: string, seen: readonly WordTimes[]): string[] => {
  const of = (which: keyof WordTimes): number[] => seen.map((each) => each[which]).toSorted((a, b) => a - b);
  const at = (times: number[], share: number): string => (times[Math.floor(times.length * share)] ?? 0).toFixed(1);
  return [
    name,
    median(of("first")).toFixed(1),
    at(of("first"), 0.95),
    median(of("last")).toFixed(1),
    at(of("last"), 0.95),
  ];
};
table(
  `A streamed answer of 42 words, ${rounds} times: milliseconds after the model emitted it`,
  ["seen by", "first word", "95 %", "last word", "95 %"],
  [row("the SDK, raw SSE", delays.raw), row("the page", delays.page)],
);
await opened[Symbol.asyncDispose]();
await browser.close();
