// Creates the conformance suite for the messages of a dialect. The suite needs no test runner: each case has a title
// and a function `run`, which throws if the dialect does not meet the requirement.
import type { Dialect, Encoded } from "../../dialects/dialect.ts";
import { stringifyJson } from "../../model/json/index.ts";
import type { Message } from "../../model/message.ts";
import { assistant, user } from "../../model/message.ts";
import type { ConformanceCase } from "../conformance-case.ts";
import { assertHolds } from "../conformance-case.ts";
import { canonicalMessages } from "../samples/canonical-messages.ts";
import { assertNonMessagesRejected } from "../checks/decode-rejections.ts";
import { silentLosses } from "../oracle/silent-losses.ts";
import {
  assertNoDroppedMessages,
  assertPartOrder,
  assertRolesAndTypesDistinct,
} from "../checks/message-and-part-order.ts";
import { deepFreeze, walkJson } from "../json/json-nodes.ts";
import type { MessageSample } from "../checks/message-samples.ts";
import { createSampleCases } from "../checks/message-samples.ts";
import { assertCanonicalRoundTrip } from "../checks/canonical-round-trip.ts";

/** Options of `messageConformance`. */
export interface MessageConformanceOptions {
  samples: readonly MessageSample[];
  /** Canonical messages that are tested in addition to the built-in messages. */
  messages?: readonly Message[];
  /** The maximum number of mutants per sample. Default: all mutants. */
  mutants?: number;
}

/**
 * Returns the cases for messages: round trips, edits, unmodified input, determinism, silent losses, order, odd input.
 *
 * @example
 * ```ts
 * import { dialect } from "koine";
 * import { messageConformance } from "koine/testkit";
 *
 * const wire = [{ role: "user", content: "Hello" }, { role: "assistant", content: "Hi." }];
 * const sample = { name: "a short chat", wire };
 * const cases = messageConformance(dialect("anthropic"), { samples: [sample], mutants: 10 });
 * const failures: string[] = [];
 * for (const { title, run } of cases) {
 *   try {
 *     await run();
 *   } catch {
 *     failures.push(title);
 *   }
 * }
 * console.log(cases.length > 10); // true
 * console.log(failures); // []
 * ```
 */
export function messageConformance(dialect: Dialect, options: MessageConformanceOptions): ConformanceCase[] {
  const { samples, mutants = Infinity } = options;
  return [
    ...samples.flatMap((sample) => createSampleCases(dialect, sample, mutants)),
    ...createCanonicalCases(dialect, [...canonicalMessages(), ...(options.messages ?? [])]),
    {
      title: `${dialect.id}: a value that is no list of messages is rejected with a path`,
      run: () => assertNonMessagesRejected(dialect),
    },
  ];
}

const REPEATED_TEXT = "The same text once more.";
const REPEATED_MESSAGES: readonly Message[] = [
  user(REPEATED_TEXT),
  user(REPEATED_TEXT),
  assistant([
    { type: "text", text: REPEATED_TEXT },
    { type: "text", text: REPEATED_TEXT },
  ]),
];

function createCanonicalCases(dialect: Dialect, messages: readonly Message[]): ConformanceCase[] {
  const title = (claim: string): string => `${dialect.id}: ${claim}`;
  const encode = (list: readonly Message[]): Encoded => dialect.encodeMessages(list);
  return [
    ...messages.map((message, index) => ({
      title: title(`B58: nothing of canonical message ${index} (${message.role}) is lost silently`),
      run: () => assertNoSilentMessageLoss([message], encode),
    })),
    {
      title: title("B58: nothing of the whole conversation is lost silently"),
      run: () => assertNoSilentMessageLoss(messages, encode),
    },
    {
      title: title("B58: a repeated text is encoded each time"),
      run: () => assertNoSilentMessageLoss(REPEATED_MESSAGES, encode),
    },
    {
      title: title("B58: no message and no part is dropped without a loss"),
      run: () => assertNoDroppedMessages(messages, encode),
    },
    {
      title: title("B58: the order of texts and parts within a message is kept or reported"),
      run: () => assertPartOrder(encode),
    },
    {
      title: title("B58: role and part type are encoded or reported"),
      run: () => assertRolesAndTypesDistinct(encode),
    },
    {
      title: title("messages that were encoded without a loss decode to equal messages"),
      run: () => assertCanonicalRoundTrip(dialect, messages),
    },
    { title: title("B44: encoding twice gives the same bytes"), run: () => assertSameEncoding(messages, encode) },
    {
      title: title("encoding does not modify the messages"),
      run: () => void encode(deepFreeze(structuredClone(messages))),
    },
    {
      title: title("losses have declared codes and existing paths"),
      run: () => assertMessageLossesDeclared(dialect, messages),
    },
  ];
}

function assertNoSilentMessageLoss(messages: readonly Message[], encode: (list: readonly Message[]) => Encoded): void {
  const lost = silentLosses(messages, encode);
  assertHolds(
    lost.length === 0,
    "Values were lost without a report:",
    lost.map(({ path, value }) => `${path} = ${JSON.stringify(value)}`).join("\n"),
  );
}

function assertSameEncoding(messages: readonly Message[], encode: (list: readonly Message[]) => Encoded): void {
  const [first, second] = [encode(messages), encode(structuredClone(messages))];
  assertHolds(
    stringifyJson(first) === stringifyJson(second),
    "Two encodings of equal messages differ.",
    first.wire,
    second.wire,
  );
}

function assertMessageLossesDeclared(dialect: Dialect, messages: readonly Message[]): void {
  const paths = new Set([...walkJson(messages)].map(({ path }) => path));
  for (const { code, path, action, level } of dialect.encodeMessages(messages).losses) {
    const declared = dialect.losses[code];
    assertHolds(
      declared?.action === action && declared.level === level,
      `The dialect does not declare the loss "${code}" with the action "${action}" and the level "${level}".`,
    );
    // Only the path of a synthesized field may be absent from the messages.
    assertHolds(
      paths.has(path) || action === "synthesized",
      `The loss "${code}" names the path "${path}", which does not exist.`,
    );
  }
}
