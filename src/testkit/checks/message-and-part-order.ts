// Checks properties that the silent-loss oracle does not detect: every message and part is encoded, parts keep their
// order, and messages that differ only in role or part type differ on the wire.
import type { Encoded } from "../../dialects/dialect.ts";
import { sameJson } from "../../model/json/index.ts";
import type { Message } from "../../model/message.ts";
import { assistant, ROLES, system, user } from "../../model/message.ts";
import type { Part } from "../../model/parts.ts";
import { isCoveredByLoss } from "../oracle/loss-coverage.ts";
import { assertHolds } from "../conformance-case.ts";
import { toSearchText, findTextPosition } from "../oracle/encoded-text.ts";
import { removeAt } from "../json/json-nodes.ts";

type EncodeMessages = (messages: readonly Message[]) => Encoded;

/** Requires that the wire changes if a message or part is removed, unless a loss covers it. */
export function assertNoDroppedMessages(messages: readonly Message[], encode: EncodeMessages): void {
  const emptyMessages = ROLES.map((role): Message[] => [user("Before."), { role, parts: [] }, assistant("Behind.")]);
  for (const list of [messages, ...emptyMessages]) {
    const encoded = encode(list);
    list.forEach(({ role, parts }, index) => {
      assertPresent(list, [index], `/${index}/parts`, `Message ${index} (${role})`, encoded, encode);
      parts.forEach(({ type }, position) => {
        const path = `/${index}/parts/${position}`;
        assertPresent(
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

function assertPresent(
  list: readonly Message[],
  keys: readonly (string | number)[],
  path: string,
  subject: string,
  encoded: Encoded,
  encode: EncodeMessages,
): void {
  if (isCoveredByLoss(encoded, path)) return;
  // The cast is safe, because the list without a message or part is still a list of messages.
  const { wire } = encode(removeAt(list, keys) as Message[]);
  assertHolds(!sameJson(wire, encoded.wire), `${subject} was dropped without a report.`, wire);
}

const IMAGE: Part = { type: "image", url: "https://example.com/between.png" };

function textPart(text: string): Part {
  return { type: "text", text };
}
function reasoningPart(text: string): Part {
  return { type: "reasoning", text };
}
function callPart(toolCallId: string): Part {
  return { type: "tool-call", toolCallId, toolName: "look", input: {} };
}

const ORDERED: readonly Message[] = [
  system([textPart("Alpha is the first rule."), textPart("Beta is the second rule.")]),
  user([textPart("Gamma, a question."), IMAGE, textPart("Delta, a remark."), textPart("Epsilon, a wish.")]),
  assistant([
    reasoningPart("Zeta, a thought."),
    textPart("Eta, an answer."),
    callPart("call_theta"),
    reasoningPart("Iota, a second thought."),
    textPart("Kappa, a second answer."),
    callPart("call_lambda"),
    textPart("Mu, a last answer."),
  ]),
  {
    role: "tool",
    parts: ["call_theta", "call_lambda"].map((toolCallId, index) => ({
      type: "tool-result",
      toolCallId,
      toolName: "look",
      isError: false,
      content: [textPart(`Nu, result ${index}.`), textPart(`Xi, result ${index}.`)],
    })),
  },
];

/**
 * Returns the string by which a text, reasoning or a tool call is found in the output; undefined for other part types.
 */
function readMarkerText(part: Part): string | undefined {
  if (part.type === "text" || part.type === "reasoning") return part.text;
  return part.type === "tool-call" ? part.toolCallId : undefined;
}

interface PartMarker {
  type: Part["type"];
  path: string;
  text: string;
}

function listMarkers(parts: readonly Part[], path: string): PartMarker[] {
  return parts.flatMap((part, index) => {
    const [partPath, text] = [`${path}/${index}`, readMarkerText(part)];
    if (part.type === "tool-result") return listMarkers(part.content ?? [], `${partPath}/content`);
    return text === undefined ? [] : [{ type: part.type, path: partPath, text }];
  });
}

/**
 * Requires that the wire of two parts of different types changes if their order is reversed, or that a loss reports the
 * order.
 */
function assertTypeOrderVisible(encode: EncodeMessages): void {
  const parts = [textPart("A text."), reasoningPart("A thought."), callPart("call_omega"), IMAGE];
  parts.forEach((one, index) => {
    for (const other of parts.slice(index + 1)) {
      const [forward, reverse] = [encode([assistant([one, other])]), encode([assistant([other, one])])];
      const isReported = [forward, reverse].some((each) =>
        [0, 1].some((position) => isCoveredByLoss(each, `/0/parts/${position}/type`)),
      );
      const message = `The order of ${one.type} and ${other.type} was lost without a report.`;
      assertHolds(isReported || !sameJson(forward.wire, reverse.wire), message, forward.wire);
    }
  });
}

/** Requires that the texts, the reasoning and the calls of a message each keep their order on the wire. */
export function assertPartOrder(encode: EncodeMessages): void {
  assertTypeOrderVisible(encode);
  const encoded = encode(ORDERED);
  const output = toSearchText(encoded);
  ORDERED.forEach(({ parts }, index) => {
    const markers = listMarkers(parts, `/${index}/parts`).filter(({ path }) => !isCoveredByLoss(encoded, path));
    for (const type of ["text", "reasoning", "tool-call"]) {
      const sent = markers.filter((each) => each.type === type).map(({ text }) => text);
      const arrived = sent.toSorted((left, right) => findTextPosition(left, output) - findTextPosition(right, output));
      assertHolds(
        sameJson(sent, arrived),
        "The order of parts was changed without a report.",
        "sent:",
        sent,
        "arrived:",
        arrived,
      );
    }
  });
}

const SHARED_TEXT = "The same words.";

/** Requires that messages with equal text but different roles or part types differ on the wire, or have a loss. */
export function assertRolesAndTypesDistinct(encode: EncodeMessages): void {
  const roles = [system(SHARED_TEXT), user(SHARED_TEXT), assistant(SHARED_TEXT)];
  const types = [
    textPart(SHARED_TEXT),
    reasoningPart(SHARED_TEXT),
    { type: "refusal", text: SHARED_TEXT } satisfies Part,
  ];
  assertDistinctWires(roles, "/0/role", encode);
  assertDistinctWires(
    types.map((part) => assistant([part])),
    "/0/parts/0/type",
    encode,
  );
}

function assertDistinctWires(messages: readonly Message[], path: string, encode: EncodeMessages): void {
  const encodings = messages.map((message) => encode([message]));
  // An encoding with a loss of the role or type may be equal to any other encoding.
  const unreported = encodings.filter((encoded) => !isCoveredByLoss(encoded, path));
  unreported.forEach((one, index) => {
    for (const other of unreported.slice(index + 1)) {
      assertHolds(
        !sameJson(one.wire, other.wire),
        `Messages that differ at "${path}" have the same wire.`,
        one.wire,
        other.wire,
      );
    }
  });
}
