// What no single scalar tells: that every message and part is there, that parts keep their order, and that the same
// words from another mouth, or of another kind, are another message.
import type { Encoded } from "../dialects/dialect.ts";
import { sameJson } from "../model/json/index.ts";
import type { Message } from "../model/message.ts";
import { assistant, ROLES, system, user } from "../model/message.ts";
import type { Part } from "../model/parts.ts";
import { isCovered } from "./coverage.ts";
import { demand } from "./demand.ts";
import { outgoing, positionOf } from "./outgoing.ts";
import { withoutPlace } from "./places.ts";

type Encode = (messages: readonly Message[]) => Encoded;

/** A message may go missing only where a loss names it or its parts: without it, the wire must be another. */
export function keepsEveryMessage(messages: readonly Message[], encode: Encode): void {
  const between = ROLES.map((role): Message[] => [user("Before."), { role, parts: [] }, assistant("Behind.")]);
  for (const list of [messages, ...between]) {
    const encoded = encode(list);
    list.forEach(({ role, parts }, index) => {
      misses(list, [index], `/${index}/parts`, `Message ${index} (${role})`, encoded, encode);
      parts.forEach(({ type }, position) => {
        const path = `/${index}/parts/${position}`;
        misses(
          list,
          [index, "parts", position],
          path,
          `Part ${position} (${type}) of message ${index}`,
          encoded,
          encode,
        );
      });
    });
  }
}

function misses(
  list: readonly Message[],
  keys: readonly (string | number)[],
  path: string,
  what: string,
  encoded: Encoded,
  encode: Encode,
): void {
  if (isCovered(encoded, path)) return;
  // What is left of a list of messages is one, too.
  const { wire } = encode(withoutPlace(list, keys) as Message[]);
  demand(!sameJson(wire, encoded.wire), `${what} was dropped without a word.`, wire);
}

const image: Part = { type: "image", url: "https://example.com/between.png" };

function text(words: string): Part {
  return { type: "text", text: words };
}
function reasoning(words: string): Part {
  return { type: "reasoning", text: words };
}
function call(toolCallId: string): Part {
  return { type: "tool-call", toolCallId, toolName: "look", input: {} };
}

const ORDERED: readonly Message[] = [
  system([text("Alpha is the first rule."), text("Beta is the second rule.")]),
  user([text("Gamma, a question."), image, text("Delta, a remark."), text("Epsilon, a wish.")]),
  assistant([
    reasoning("Zeta, a thought."),
    text("Eta, an answer."),
    call("call_theta"),
    reasoning("Iota, a second thought."),
    text("Kappa, a second answer."),
    call("call_lambda"),
    text("Mu, a last answer."),
  ]),
  {
    role: "tool",
    parts: ["call_theta", "call_lambda"].map((toolCallId, index) => ({
      type: "tool-result",
      toolCallId,
      toolName: "look",
      isError: false,
      content: [text(`Nu, result ${index}.`), text(`Xi, result ${index}.`)],
    })),
  },
];

/** What is looked for of a part; parts within a part come in their own turn. */
function wordOf(part: Part): string | undefined {
  if (part.type === "text" || part.type === "reasoning") return part.text;
  return part.type === "tool-call" ? part.toolCallId : undefined;
}

interface Word {
  type: Part["type"];
  path: string;
  word: string;
}

function wordsOf(parts: readonly Part[], path: string): Word[] {
  return parts.flatMap((part, index) => {
    const [here, word] = [`${path}/${index}`, wordOf(part)];
    if (part.type === "tool-result") return wordsOf(part.content ?? [], `${here}/content`);
    return word === undefined ? [] : [{ type: part.type, path: here, word }];
  });
}

/** Parts of any two types, the other way round, are another wire, or a loss says that their order is gone. */
function tellsOrder(encode: Encode): void {
  const kinds = [text("A text."), reasoning("A thought."), call("call_omega"), image];
  kinds.forEach((one, index) => {
    for (const other of kinds.slice(index + 1)) {
      const [there, back] = [encode([assistant([one, other])]), encode([assistant([other, one])])];
      const isTold = [there, back].some((each) => [0, 1].some((at) => isCovered(each, `/0/parts/${at}/type`)));
      const claim = `The order of ${one.type} and ${other.type} was lost without a word.`;
      demand(isTold || !sameJson(there.wire, back.wire), claim, there.wire);
    }
  });
}

/** Within a message, texts stand on the wire in their order; thoughts and calls likewise, each among themselves. */
export function keepsOrder(encode: Encode): void {
  tellsOrder(encode);
  const encoded = encode(ORDERED);
  const out = outgoing(encoded);
  ORDERED.forEach(({ parts }, index) => {
    const words = wordsOf(parts, `/${index}/parts`).filter(({ path }) => !isCovered(encoded, path));
    for (const type of ["text", "reasoning", "tool-call"]) {
      const said = words.filter((each) => each.type === type).map(({ word }) => word);
      const arrived = said.toSorted((left, right) => positionOf(left, out) - positionOf(right, out));
      demand(sameJson(said, arrived), "The order was changed without a word.", "said:", said, "arrived:", arrived);
    }
  });
}

const WORDS = "The same words.";

/** Two messages that differ in the role or in the type of a part differ on the wire, or a loss says so. */
export function tellsApart(encode: Encode): void {
  const voices = [system(WORDS), user(WORDS), assistant(WORDS)];
  const kinds = [text(WORDS), reasoning(WORDS), { type: "refusal", text: WORDS } satisfies Part];
  differ(voices, "/0/role", encode);
  differ(
    kinds.map((part) => assistant([part])),
    "/0/parts/0/type",
    encode,
  );
}

function differ(messages: readonly Message[], path: string, encode: Encode): void {
  const all = messages.map((message) => encode([message]));
  // Those whose role or type is reported are free to look like any other.
  const kept = all.filter((encoded) => !isCovered(encoded, path));
  kept.forEach((one, index) => {
    for (const other of kept.slice(index + 1)) {
      demand(!sameJson(one.wire, other.wire), `What differs at "${path}" went out the same.`, one.wire, other.wire);
    }
  });
}
