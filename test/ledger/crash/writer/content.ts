// The content that writers write. It is generated from a few numbers and a tag, so that a log line is short and the
// checker can generate the same content. The tag is part of the text, so that every message names its operation.
import { assembleRun, AssemblyError } from "../../../../src/assembly/index.ts";
import type { Delta, Message } from "../../../../src/model/index.ts";
import { assistant, text, user } from "../../../../src/model/index.ts";
import { SeededRandom } from "../campaign/seeded-random.ts";

/** Longer strings of a campaign's messages become blobs. */
export const BLOB_THRESHOLD = 2000;

/** A planned message: its role, tag and sizes. */
export interface MessageDraft {
  role: "user" | "assistant";
  tag: string;
  /** The number of characters besides the tag. */
  size: number;
  /** One of a few large texts that many messages share. */
  block?: number;
}

/** The operation's name and the position in it: "w7.12/0". */
const createTag = (operation: string, position: number): string => `${operation}/${position}`;

/** Returns the operation of a message; undefined if its text has no tag. */
export function readTag(message: Message): { operation: string; position: number } | undefined {
  const [first] = message.parts;
  const tag = first?.type === "text" ? /^([\w.]+)\/(\d+) /.exec(first.text) : null;
  return tag?.[1] === undefined ? undefined : { operation: tag[1], position: Number(tag[2]) };
}

function filler(tag: string, size: number): string {
  return `${tag} äöü κοινή `.repeat(Math.ceil(size / 8)).slice(0, size);
}

export function toMessage({ role, tag, size, block }: MessageDraft): Message {
  const parts = [text(`${tag} ${filler(tag, size)}🌊`)];
  if (block !== undefined) parts.push(text(filler(`block ${block}`, BLOB_THRESHOLD * 2)));
  return role === "user" ? user(parts) : assistant(parts);
}

export function createDrafts(
  random: SeededRandom,
  operation: string,
  roles: readonly MessageDraft["role"][],
): MessageDraft[] {
  return roles.map((role, position) => {
    const draft: MessageDraft = {
      role,
      tag: createTag(operation, position),
      size: random.below(random.chance(0.05) ? 9000 : 200),
    };
    return random.chance(0.08) ? { ...draft, block: random.below(3) } : draft;
  });
}

/** Returns the deltas of a run from a unique number: one answer, or a call, its result and a second answer. */
export function createRunScript(number: number): Delta[] {
  const random = new SeededRandom(number);
  const calls = random.chance(0.4);
  const first = createTextDeltas(number, random, "first");
  const start: Delta = { kind: "start", payload: { modelId: "campaign", requestId: `request-${number}` } };
  const usage: Delta = {
    kind: "usage",
    payload: { inputTokens: 3, outputTokens: first.length, totalTokens: 3 + first.length },
  };
  if (!calls) return [start, ...first, usage, { kind: "done", payload: { finishReason: "stop" } }];
  const toolCallId = `call-${number}`;
  return [
    start,
    ...first,
    { kind: "tool_call_start", payload: { toolCallId, toolName: "look" } },
    { kind: "tool_call_args", payload: { toolCallId, argsTextDelta: '{"at":' } },
    { kind: "tool_call_args", payload: { toolCallId, argsTextDelta: `${number}}` } },
    { kind: "tool_call_end", payload: { toolCallId } },
    { kind: "done", payload: { finishReason: "tool-calls" } },
    {
      kind: "part",
      payload: {
        role: "tool",
        value: { type: "tool-result", toolCallId, toolName: "look", isError: false, output: "seen" },
      },
    },
    { kind: "start", payload: { modelId: "campaign", requestId: `request-${number}-2` } },
    ...createTextDeltas(number, random, "second"),
    usage,
    { kind: "done", payload: { finishReason: "stop" } },
  ];
}

function createTextDeltas(number: number, random: SeededRandom, which: string): Delta[] {
  const thought: Delta[] = random.chance(0.3)
    ? [{ kind: "thinking", payload: { textDelta: `thought of ${number}` } }]
    : [];
  const deltas = Array.from({ length: 2 + random.below(6) }, (_, at): Delta => {
    const long = random.chance(0.03) ? filler(`run ${number}`, BLOB_THRESHOLD * 2) : "";
    return { kind: "text", payload: { textDelta: `${which} ${at} of ${number} ${long}` } };
  });
  return [...thought, ...deltas];
}

/** Returns the messages of a run that committed after this many deltas. */
export function toCommittedMessages(script: readonly Delta[], length: number): Message[] {
  return assembleRun(script.slice(0, length)).messages;
}

/**
 * Returns the messages that a run may leave if it was interrupted after this many deltas: every whole message, and the
 * beginning of the next.
 */
export function toPartialMessages(script: readonly Delta[], length: number): Message[] {
  try {
    return toCommittedMessages(script, length);
  } catch (error) {
    if (!(error instanceof AssemblyError)) throw error;
    const { messages = [], response } = error;
    return [...messages, ...(response === undefined ? [] : [response.message])].filter(({ parts }) => parts.length > 0);
  }
}

/** True if a script can be committed at this length: after a `done`. */
export function isCommittable(script: readonly Delta[], length: number): boolean {
  return script[length - 1]?.kind === "done";
}
