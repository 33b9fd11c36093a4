// The conformance suite for dialects: what Koine's own dialects pass, and a third party's can run. It needs no test
// runner: each case has a title and throws where it does not hold.
import type { Dialect, Encoded } from "../dialects/dialect.ts";
import { DialectError } from "../dialects/errors.ts";
import { parseJson, sameJson, stringifyJson } from "../model/json.ts";
import { user } from "../model/message.ts";
import type { Message } from "../model/message.ts";
import { validate } from "../model/validate.ts";
import { gallery } from "./gallery.ts";
import { silentLosses } from "./oracle.ts";
import { deepFreeze, places, withoutPlace, withPlace } from "./places.ts";

/** One thing that must hold. `run` throws where it does not. */
export interface ConformanceCase {
  title: string;
  run: () => void;
}

/** A wire value that the dialect reads; its list of messages must come back as equal JSON. */
export interface Sample {
  name: string;
  wire: unknown;
}

export interface MessageConformanceOptions {
  samples: readonly Sample[];
  /** Canonical messages beyond the built-in gallery. */
  messages?: readonly Message[];
}

class ConformanceError extends Error {
  override readonly name = "ConformanceError";
}

function demand(holds: boolean, claim: string, ...shown: unknown[]): void {
  if (holds) return;
  const details = shown
    .map((value) => (typeof value === "string" ? value : stringifyJson(value ?? null, 2)))
    .join("\n");
  throw new ConformanceError(`${claim}\n${details.slice(0, 4000)}`);
}

/** The list of messages in a fragment. */
function listOf(wire: unknown): unknown {
  return Array.isArray(wire) ? wire : (wire as { messages: unknown }).messages;
}

/** The message half of the suite: fidelity, edits, purity, determinism, silent losses, totality. */
export function messageConformance(dialect: Dialect, options: MessageConformanceOptions): ConformanceCase[] {
  const { samples } = options;
  return [
    ...samples.flatMap((sample) => sampleCases(dialect, sample)),
    ...canonicalCases(dialect, [...gallery(), ...(options.messages ?? [])]),
    {
      title: `${dialect.id}: what is no list of messages is an error with a path`,
      run: () => refusesNonsense(dialect),
    },
  ];
}

function sampleCases(dialect: Dialect, { name, wire }: Sample): ConformanceCase[] {
  const title = (claim: string): string => `${dialect.id}: ${name}: ${claim}`;
  return [
    { title: title("comes back as equal JSON"), run: () => comesBack(dialect, wire) },
    { title: title("survives a stored copy of the messages"), run: () => survivesStorage(dialect, wire) },
    { title: title("B44: an appended message changes nothing before it"), run: () => keepsPrefix(dialect, wire) },
    { title: title("an edited text changes nothing else"), run: () => keepsTheRest(dialect, wire) },
    { title: title("decodes to messages of the right shape"), run: () => hasRightShape(dialect, wire) },
    {
      title: title("B43: never crashes, whatever field is gone, odd or new"),
      run: () => survivesMutation(dialect, wire),
    },
  ];
}

function comesBack(dialect: Dialect, wire: unknown): void {
  const { wire: again, losses } = dialect.encodeMessages(dialect.decodeMessages(deepFreeze(wire)));
  demand(sameJson(again, listOf(wire)), "The wire came back different.", "sent:", listOf(wire), "came back:", again);
  demand(
    losses.every(({ level }) => level === "note"),
    "A loss in the dialect's own data.",
    losses,
  );
}

/** What a message store does: text and back. */
function survivesStorage(dialect: Dialect, wire: unknown): void {
  const stored = parseJson(stringifyJson(dialect.decodeMessages(wire))) as unknown as Message[];
  const { wire: again } = dialect.encodeMessages(stored);
  demand(sameJson(again, listOf(wire)), "A stored copy came back different.", listOf(wire), again);
}

function keepsPrefix(dialect: Dialect, wire: unknown): void {
  const messages = dialect.decodeMessages(wire);
  const before = listOf(dialect.encodeMessages(messages).wire) as unknown[];
  const after = listOf(dialect.encodeMessages([...messages, user("And another thing.")]).wire) as unknown[];
  const prefix = after.slice(0, before.length);
  demand(
    stringifyJson(prefix) === stringifyJson(before),
    "An appended message changed the ones before.",
    before,
    prefix,
  );
  demand(after.length > before.length, "The appended message is not there.", after);
}

const EDITED = "An edited text that stands nowhere else.";

function keepsTheRest(dialect: Dialect, wire: unknown): void {
  const messages = dialect.decodeMessages(wire);
  messages.forEach((message, index) => {
    const position = message.parts.findIndex(({ type }) => type === "text");
    if (position < 0) return;
    const edited = withPlace(messages, [index, "parts", position, "text"], EDITED) as Message[];
    const out = stringifyJson(dialect.encodeMessages(edited).wire);
    demand(out.includes(EDITED), "The edit did not arrive.", out);
    const restored = dialect.decodeMessages(dialect.encodeMessages(edited).wire);
    const others = (list: Message[]): Message[] => list.filter((_, each) => each !== index);
    demand(sameJson(others(restored), others(messages)), "The edit changed another message.", restored, messages);
  });
}

function hasRightShape(dialect: Dialect, wire: unknown): void {
  const issues = dialect.decodeMessages(wire).flatMap((message) => validate(message));
  const wrong = issues.filter(({ code }) => ["wrong-type", "missing-field", "not-json", "too-deep"].includes(code));
  demand(wrong.length === 0, "The decoded messages are not of the model's shape.", wrong);
}

const ODD: readonly unknown[] = [null, 0, "odd", true, [], {}, ["odd"], { odd: 1 }];

/** Any field deleted, retyped or added: equal JSON back, a difference that a loss explains, or an error with a path. */
function survivesMutation(dialect: Dialect, wire: unknown): void {
  for (const { path, keys, value } of places(wire)) {
    const mutants = ODD.map((odd) => withPlace(wire, keys, odd));
    if (keys.length > 0) mutants.push(withoutPlace(wire, keys));
    if (typeof value === "object" && value !== null && !Array.isArray(value)) {
      mutants.push(
        withPlace(wire, [...keys, "brand_new"], { field: 1 }),
        withPlace(wire, [...keys, "__proto__"], { odd: 1 }),
      );
    }
    for (const mutant of mutants) survives(dialect, mutant, path);
  }
}

function survives(dialect: Dialect, mutant: unknown, path: string): void {
  let encoded: Encoded;
  try {
    encoded = dialect.encodeMessages(dialect.decodeMessages(mutant));
  } catch (error) {
    demand(error instanceof DialectError, `A mutant crashed at "${path}".`, String(error), mutant);
    return;
  }
  const explained = encoded.losses.length > 0;
  const list = listOf(mutant);
  demand(
    explained || sameJson(encoded.wire, list),
    `A mutant at "${path}" came back different, unreported.`,
    mutant,
    encoded,
  );
}

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

function refusesNonsense(dialect: Dialect): void {
  for (const nonsense of [undefined, null, 7, "text", true, {}, { messages: 7 }, [7], [null], [[]]]) {
    let error: unknown;
    try {
      dialect.decodeMessages(nonsense);
    } catch (thrown) {
      error = thrown;
    }
    demand(
      error instanceof DialectError && error.dialect === dialect.id,
      "Nonsense was not refused with a DialectError.",
      nonsense,
    );
  }
}
