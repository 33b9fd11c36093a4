// The scripted model of a campaign: rounds of calls from a number, then a final text. Pure: the same history gets the same
// answer, so that the expected thread is known.
import type { Delta, Message, Part, ModelRequest } from "../../../src/index.ts";

/** Every kind of tool, and the rule for its interrupted calls. */
export const TOOLS = {
  local_safe: "safe",
  local_never: "never",
  local_throws: "never",
  stdio_safe: "safe",
  stdio_never: "never",
  http_safe: "safe",
  http_never: "never",
  /** The arguments are invalid: the tool must not run. */
  local_strict: "refused",
  /** The tool does not exist. */
  nowhere: "refused",
} as const;
export type ToolName = keyof typeof TOOLS;

export type Round = readonly ToolName[];
/** The user's message, and the rounds of calls until the final text. */
export interface Story {
  rounds: readonly Round[];
}

const LOCAL: Story = {
  rounds: [
    ["local_safe", "local_never", "local_throws"],
    ["local_never"],
    ["local_safe", "nowhere", "local_strict", "local_never"],
  ],
};
const REMOTE: Story = {
  rounds: [
    ["stdio_safe", "local_never", "http_never"],
    ["http_safe", "stdio_never"],
  ],
};
export const STORIES = { local: LOCAL, remote: REMOTE } as const;
export type StoryName = keyof typeof STORIES;

export const QUESTION = "Do it all.";
const ISSUER = "story";

/** The n-th call of a round. `attempt` distinguishes answers to the same message. */
export const callId = (round: number, index: number, attempt: string): string => `call_${round}_${index}_${attempt}`;
/** The runnable calls of the same answer, including this one. */
export function runnableBeside({ rounds }: Story, id: string): string[] {
  const [, round = "", attempt = ""] = /^call_(\d+)_\d+_(.+)$/.exec(id) ?? [];
  const calls = rounds[Number(round)] ?? [];
  return calls.flatMap((tool, index) => (TOOLS[tool] === "refused" ? [] : callId(Number(round), index, attempt)));
}
export const finalText = (rounds: number): string => `All ${rounds} rounds are done.`;

/** Yields the deltas of an answer, with pauses. */
export function* answer(story: Story, { messages }: ModelRequest, attempt: string): Generator<Delta> {
  const round = messages.filter(({ role }) => role === "assistant").length;
  yield { kind: "start", payload: { modelId: "story-1", requestId: `req_${round}_${attempt}` } };
  yield { kind: "thinking", payload: { textDelta: `Round ${round}` } };
  yield { kind: "thinking", payload: { textDelta: " it is." } };
  yield { kind: "seal", payload: { seal: sealOf(round) } };
  const calls = story.rounds[round] ?? [];
  const content = calls.length === 0 ? finalText(story.rounds.length) : `Round ${round} begins.`;
  for (const textDelta of content.split(/(?<= )/)) yield { kind: "text", payload: { textDelta: textDelta } };
  for (const [index, toolName] of calls.entries()) {
    const toolCallId = callId(round, index, attempt);
    yield { kind: "tool_call_start", payload: { toolCallId, toolName } };
    const args = JSON.stringify(toolName === "local_strict" ? { key: 7 } : { key: toolCallId });
    yield { kind: "tool_call_args", payload: { toolCallId, argsTextDelta: args.slice(0, 6) } };
    yield { kind: "tool_call_args", payload: { toolCallId, argsTextDelta: args.slice(6) } };
    yield { kind: "tool_call_end", payload: { toolCallId } };
  }
  yield { kind: "usage", payload: { inputTokens: 10, outputTokens: 5, totalTokens: 15 } };
  yield { kind: "done", payload: { finishReason: calls.length === 0 ? "stop" : "tool-calls" } };
}

const sealOf = (round: number): { dialect: string; kind: string; value: string } => ({
  dialect: ISSUER,
  kind: "signature",
  value: `sealed ${round}`,
});

/** Returns the faults of a history: every call must have one result, in order, without duplicates. */
export function faultsOf(story: Story, messages: readonly Message[]): string[] {
  const faults: string[] = [];
  const [first, ...rest] = messages;
  if (first?.role !== "user" || textOf(first.parts) !== QUESTION) faults.push("It does not begin with the question.");
  for (const [index, { role, parts }] of rest.entries()) {
    const round = Math.floor(index / 2);
    const calls = story.rounds[round] ?? [];
    if (role !== (index % 2 === 0 ? "assistant" : "tool")) faults.push(`Message ${index + 1} is of ${role}.`);
    else if (role === "assistant") faults.push(...answerFaults(round, calls, parts));
    else faults.push(...resultFaults(rest[index - 1]?.parts ?? [], parts));
  }
  return faults;
}

function answerFaults(round: number, calls: Round, parts: readonly Part[]): string[] {
  const made = parts.flatMap((part) => (part.type === "tool-call" ? [part.toolName] : []));
  const [thought] = parts;
  const isSealed = thought?.type === "reasoning" && thought.seals?.[0]?.value === sealOf(round).value;
  return [
    ...(isSealed && thought.text === `Round ${round} it is.` ? [] : [`The reasoning of round ${round} is not whole.`]),
    ...(made.join() === calls.join() ? [] : [`Round ${round} has the calls ${made.join()}.`]),
  ];
}

function resultFaults(callParts: readonly Part[], parts: readonly Part[]): string[] {
  const calls = callParts.flatMap((part) => (part.type === "tool-call" ? [part.toolCallId] : []));
  const results = parts.flatMap((part) => (part.type === "tool-result" ? [part.toolCallId] : []));
  return calls.join() === results.join() ? [] : [`The calls ${calls.join()} have the results ${results.join()}.`];
}

export const textOf = (parts: readonly Part[]): string =>
  parts.map((part) => (part.type === "text" ? part.text : "")).join("");
