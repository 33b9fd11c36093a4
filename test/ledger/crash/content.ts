// What writers write. Everything is made from a few numbers and a tag, so that an intent is a short line and the checker
// can make the same content again. A tag is in the text, so that every message in a database names who meant to write it.
import { assembleRun, AssemblyError } from "../../../src/assembly/index.ts";
import type { Delta, Message } from "../../../src/model/index.ts";
import { assistant, text, user } from "../../../src/model/index.ts";
import { Seeded } from "./seeded.ts";

/** Strings of a campaign's messages that are longer than this become blobs. */
export const BLOB_THRESHOLD = 2000;

/** A message to be: who says it, its tag, and how much of what. */
export interface Draft {
  role: "user" | "assistant";
  tag: string;
  /** Characters beside the tag. */
  size: number;
  /** One of a few large texts that many messages share. */
  block?: number;
}

/** The operation's name and the position in it: "w7.12/0". */
const tagOf = (operation: string, position: number): string => `${operation}/${position}`;

/** The operation that meant to write a message, or undefined where its text has no tag. */
export function readTag(message: Message): { operation: string; position: number } | undefined {
  const [first] = message.parts;
  const found = first?.type === "text" ? /^([\w.]+)\/(\d+) /.exec(first.text) : null;
  return found?.[1] === undefined ? undefined : { operation: found[1], position: Number(found[2]) };
}

function filler(tag: string, size: number): string {
  return `${tag} äöü κοινή `.repeat(Math.ceil(size / 8)).slice(0, size);
}

export function messageOf({ role, tag, size, block }: Draft): Message {
  const parts = [text(`${tag} ${filler(tag, size)}🌊`)];
  if (block !== undefined) parts.push(text(filler(`block ${block}`, BLOB_THRESHOLD * 2)));
  return role === "user" ? user(parts) : assistant(parts);
}

export function draftsOf(random: Seeded, operation: string, roles: readonly Draft["role"][]): Draft[] {
  return roles.map((role, position) => {
    const draft: Draft = {
      role,
      tag: tagOf(operation, position),
      size: random.below(random.chance(0.05) ? 9000 : 200),
    };
    return random.chance(0.08) ? { ...draft, block: random.below(3) } : draft;
  });
}

/** The deltas of a run, from a number that no other run has: one answer, or a call, its result and a second answer. */
export function scriptOf(number: number): Delta[] {
  const random = new Seeded(number);
  const calls = random.chance(0.4);
  const first = words(number, random, "first");
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
    ...words(number, random, "second"),
    usage,
    { kind: "done", payload: { finishReason: "stop" } },
  ];
}

function words(number: number, random: Seeded, which: string): Delta[] {
  const thought: Delta[] = random.chance(0.3)
    ? [{ kind: "thinking", payload: { textDelta: `thought of ${number}` } }]
    : [];
  const said = Array.from({ length: 2 + random.below(6) }, (_, at): Delta => {
    const long = random.chance(0.03) ? filler(`run ${number}`, BLOB_THRESHOLD * 2) : "";
    return { kind: "text", payload: { textDelta: `${which} ${at} of ${number} ${long}` } };
  });
  return [...thought, ...said];
}

/** What a run that committed after these many deltas has written. */
export function committedBy(script: readonly Delta[], length: number): Message[] {
  return assembleRun(script.slice(0, length)).messages;
}

/** What a run that broke off after these many deltas may leave: every whole message, and the beginning of the next. */
export function partialOf(script: readonly Delta[], length: number): Message[] {
  try {
    return committedBy(script, length);
  } catch (error) {
    if (!(error instanceof AssemblyError)) throw error;
    const { messages = [], response } = error;
    return [...messages, ...(response === undefined ? [] : [response.message])].filter(({ parts }) => parts.length > 0);
  }
}

/** Where a script may end with a commit: after a `done`. */
export function endsWhole(script: readonly Delta[], length: number): boolean {
  return script[length - 1]?.kind === "done";
}
