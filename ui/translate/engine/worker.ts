// The engine at work, beside the page. What was asked before a newer source came is left undone.
import type { Answered, Asked } from "../types.ts";
import { Desk } from "./desk.ts";

const desk = new Desk();
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
  try {
    for (let next = queue.shift(); next !== undefined; next = queue.shift()) {
      if (next.type === "read") say({ type: "begun", turn: next.turn });
      const answered = desk.answer(next);
      if (answered !== undefined) say(answered);
      await new Promise((resolve) => {
        setTimeout(resolve);
      });
    }
  } finally {
    isBusy = false;
  }
}

function say(answered: Answered): void {
  postMessage(answered);
}
