// The web worker of the translation engine. A new source cancels the queued requests of earlier ones.
import type { EngineResponse, EngineRequest } from "../types.ts";
import { TranslationEngine } from "./translation-engine.ts";

const engine = new TranslationEngine();
let queue: EngineRequest[] = [];
let isBusy = false;

addEventListener("message", ({ data }: MessageEvent<EngineRequest>) => {
  // Requests of earlier sources are obsolete.
  if (data.type === "read") queue = [];
  queue.push(data);
  if (!isBusy) void processQueue();
});

/** Yields between two requests, so that new messages are received. */
async function processQueue(): Promise<void> {
  isBusy = true;
  try {
    for (let next = queue.shift(); next !== undefined; next = queue.shift()) {
      if (next.type === "read") respond({ type: "begun", turn: next.turn });
      const response = engine.handle(next);
      if (response !== undefined) respond(response);
      await new Promise((resolve) => {
        setTimeout(resolve);
      });
    }
  } finally {
    isBusy = false;
  }
}

function respond(response: EngineResponse): void {
  postMessage(response);
}
