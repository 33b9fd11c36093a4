// The conformance suite for dialects: what Koine's own dialects pass, and a third party's can run. It needs no test
// runner: each case has a title and throws where it does not hold.
import type { Dialect, Encoded } from "../dialects/dialect.ts";
import { stringifyJson } from "../model/json/index.ts";
import type { Message } from "../model/message.ts";
import { assistant, user } from "../model/message.ts";
import type { ConformanceCase } from "./demand.ts";
import { demand } from "./demand.ts";
import { gallery } from "./gallery.ts";
import { refusesNonsense } from "./nonsense.ts";
import { silentLosses } from "./oracle.ts";
import { keepsEveryMessage, keepsOrder, tellsApart } from "./order.ts";
import { deepFreeze, places } from "./places.ts";
import type { Sample } from "./samples.ts";
import { sampleCases } from "./samples.ts";
import { decodesToTheSame } from "./sameness.ts";

export interface MessageConformanceOptions {
  samples: readonly Sample[];
  /** Canonical messages beyond the built-in gallery. */
  messages?: readonly Message[];
  /** How many mutants of each sample are tried; all of them where nothing is said. */
  mutants?: number;
}

/** The message half of the suite: fidelity, edits, purity, determinism, silent losses, order, totality. */
export function messageConformance(dialect: Dialect, options: MessageConformanceOptions): ConformanceCase[] {
  const { samples, mutants = Infinity } = options;
  return [
    ...samples.flatMap((sample) => sampleCases(dialect, sample, mutants)),
    ...canonicalCases(dialect, [...gallery(), ...(options.messages ?? [])]),
    {
      title: `${dialect.id}: what is no list of messages is an error with a path`,
      run: () => refusesNonsense(dialect),
    },
  ];
}

const AGAIN = "The same text once more.";
const REPEATED: readonly Message[] = [
  user(AGAIN),
  user(AGAIN),
  assistant([
    { type: "text", text: AGAIN },
    { type: "text", text: AGAIN },
  ]),
];

function canonicalCases(dialect: Dialect, messages: readonly Message[]): ConformanceCase[] {
  const title = (claim: string): string => `${dialect.id}: ${claim}`;
  const encode = (list: readonly Message[]): Encoded => dialect.encodeMessages(list);
  return [
    ...messages.map((message, index) => ({
      title: title(`B58: nothing of canonical message ${index} (${message.role}) is lost silently`),
      run: () => losesNothingSilently([message], encode),
    })),
    {
      title: title("B58: nothing of the whole conversation is lost silently"),
      run: () => losesNothingSilently(messages, encode),
    },
    {
      title: title("B58: what is said twice is not said once"),
      run: () => losesNothingSilently(REPEATED, encode),
    },
    {
      title: title("B58: no message and no part is dropped without a loss"),
      run: () => keepsEveryMessage(messages, encode),
    },
    {
      title: title("B58: the order of texts and parts within a message is kept or reported"),
      run: () => keepsOrder(encode),
    },
    { title: title("B58: who speaks, and what a text is, is said or reported"), run: () => tellsApart(encode) },
    {
      title: title("what was encoded without a loss decodes to the same"),
      run: () => decodesToTheSame(dialect, messages),
    },
    { title: title("B44: encoding twice gives the same bytes"), run: () => isDeterministic(messages, encode) },
    {
      title: title("encoding leaves the messages as they were"),
      run: () => void encode(deepFreeze(structuredClone(messages))),
    },
    {
      title: title("losses name declared codes and places that exist"),
      run: () => lossesAreDeclared(dialect, messages),
    },
  ];
}

function losesNothingSilently(messages: readonly Message[], encode: (list: readonly Message[]) => Encoded): void {
  const lost = silentLosses(messages, encode);
  demand(
    lost.length === 0,
    "Lost without a word:",
    lost.map(({ path, value }) => `${path} = ${JSON.stringify(value)}`).join("\n"),
  );
}

function isDeterministic(messages: readonly Message[], encode: (list: readonly Message[]) => Encoded): void {
  const [first, second] = [encode(messages), encode(structuredClone(messages))];
  demand(stringifyJson(first) === stringifyJson(second), "Two encodings differ.", first.wire, second.wire);
}

function lossesAreDeclared(dialect: Dialect, messages: readonly Message[]): void {
  const known = new Set([...places(messages)].map(({ path }) => path));
  for (const { code, path, action, level } of dialect.encodeMessages(messages).losses) {
    const declared = dialect.losses[code];
    demand(declared?.action === action && declared.level === level, `The loss "${code}" is not declared so.`);
    // A synthesized field stands where nothing stood.
    demand(
      known.has(path) || action === "synthesized",
      `The loss "${code}" names a place that is not there: "${path}".`,
    );
  }
}
