// The engine as the page sees it: a worker that answers. The page's policy lets scripts come from addresses that one named
// rule has let through; this one lets through the engine, and nothing else.
// The builder makes a file of its own of it, and gives its address.
// oxlint-disable-next-line import/default
import address from "./engine/worker.ts?worker&url";
import type { Answered, Engine } from "./types.ts";

interface TrustedTypes {
  createPolicy(
    name: string,
    rules: { createScriptURL: (url: string) => string },
  ): { createScriptURL(url: string): string };
}

let policy: ReturnType<TrustedTypes["createPolicy"]> | undefined;

/** A browser that knows no such rules takes the address as it is. */
function trusted(): string {
  // Part of browsers, but not of the library typings in use.
  const { trustedTypes } = globalThis as { trustedTypes?: TrustedTypes };
  policy ??= trustedTypes?.createPolicy("koine-worker", { createScriptURL: onlyEngine });
  return policy?.createScriptURL(address) ?? address;
}

function onlyEngine(url: string): string {
  if (url === address) return url;
  throw new TypeError(`${url} is no worker of this page.`);
}

export function startEngine(onAnswer: (answered: Answered) => void, onFailure: (message: string) => void): Engine {
  const worker = new Worker(trusted(), { type: "module", name: "koine-engine" });
  worker.addEventListener("message", ({ data }: MessageEvent<Answered>) => onAnswer(data));
  worker.addEventListener("error", ({ message }) =>
    onFailure(message === "" ? "The engine could not be started." : message),
  );
  return {
    // A worker is of the page itself: there is no other origin to name.
    // oxlint-disable-next-line unicorn/require-post-message-target-origin
    ask: (asked) => worker.postMessage(asked),
    close: () => worker.terminate(),
  };
}
