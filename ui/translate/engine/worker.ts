// The engine at work, beside the page: it reads one source at a time, and says it in whatever dialect it is asked for. What
// was asked before a newer source came is left undone.
import type { Message, Request } from "koine";
import type { Answered, Asked, Column } from "../types.ts";
import { codesOf } from "../code/codes.ts";
import type { Canonical } from "./decode.ts";
import { encodeColumn } from "./encode.ts";
import type { Read } from "./read.ts";
import { read } from "./read.ts";

let current: { turn: number; read: Read } | undefined;
let queue: Asked[] = [];
let isBusy = false;

addEventListener("message", ({ data }: MessageEvent<Asked>) => {
  // A new source makes everything before it idle.
  if (data.type === "read") queue = [];
  queue.push(data);
  if (!isBusy) void work();
});

/** Between two jobs whatever has come meanwhile is heard. */
async function work(): Promise<void> {
  isBusy = true;
  for (let next = queue.shift(); next !== undefined; next = queue.shift()) {
    answer(next);
    await new Promise((resolve) => {
      setTimeout(resolve);
    });
  }
  isBusy = false;
}

function answer(asked: Asked): void {
  const { turn } = asked;
  if (asked.type === "read") {
    const found = read(asked.source);
    current = "failure" in found ? undefined : { turn, read: found };
    if ("failure" in found) say({ type: "unread", turn, failure: found.failure });
    else say({ type: "read", turn, reading: found.reading });
  } else if (current?.turn !== turn) return;
  else if (asked.type === "encode") say({ type: "column", turn, column: columnOf(current.read, asked.target) });
  else {
    const request = askable(current.read.canonical);
    say({ type: "code", turn, codes: request === undefined ? [] : codesOf(request, asked.wish) });
  }
}

/** A fault of ours in one dialect must not take the others along. */
function columnOf(read: Read, target: Extract<Asked, { type: "encode" }>["target"]): Column {
  try {
    return encodeColumn(read, target);
  } catch (error) {
    return { target, title: target.dialect, losses: [], beside: [], remarks: [], failure: String(error) };
  }
}

/** What can be asked of a model: a request, or messages up to the last that is no answer. */
function askable(canonical: Canonical): Request | undefined {
  if (canonical.kind === "request") return canonical.value;
  if (canonical.kind !== "messages") return undefined;
  const messages: Message[] = canonical.value;
  const last = messages.findLastIndex(({ role }) => role === "user" || role === "tool");
  return last < 0 ? undefined : { messages: messages.slice(0, last + 1) };
}

function say(answered: Answered): void {
  postMessage(answered);
}
