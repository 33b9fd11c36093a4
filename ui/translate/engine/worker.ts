// Runs the translation engine in a web worker. A new source removes the queued requests of earlier sources.
import type { EngineResponse, EngineRequest } from "../types.ts";
import { TranslationEngine } from "./translation-engine.ts";

const engine = new TranslationEngine();
let queue: EngineRequest[] = [];
let isBusy = false;

addEventListener("message", ({ data }: MessageEvent<EngineRequest>) => {
  // A request of type "read" has a new source. Queued requests refer to an earlier source, so they are removed.
  if (data.type === "read") queue = [];
  queue.push(data);
  if (!isBusy) void processQueue();
});

/** Handles the queued requests. A timeout between two requests lets the worker receive new messages. */
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
