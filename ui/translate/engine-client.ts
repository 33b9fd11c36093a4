// Starts the translation engine as a web worker. The page's Trusted Types policy allows only the URL of this worker.
// Vite builds the worker as a separate file and provides its URL.
// oxlint-disable-next-line import/default
import engineUrl from "./engine/worker.ts?worker&url";
import type { EngineResponse, EngineClient } from "./types.ts";

interface TrustedTypes {
  createPolicy(
    name: string,
    rules: { createScriptURL: (url: string) => string },
  ): { createScriptURL(url: string): string };
}

let policy: ReturnType<TrustedTypes["createPolicy"]> | undefined;

/** Browsers without Trusted Types use the URL unchanged. */
function createTrustedUrl(): string {
  // Not part of the installed DOM typings.
  const { trustedTypes } = globalThis as { trustedTypes?: TrustedTypes };
  policy ??= trustedTypes?.createPolicy("koine-worker", { createScriptURL: allowOnlyEngine });
  return policy?.createScriptURL(engineUrl) ?? engineUrl;
}

function allowOnlyEngine(url: string): string {
  if (url === engineUrl) return url;
  throw new TypeError(`${url} is not a worker of this page.`);
}

export function startEngine(
  onResponse: (response: EngineResponse) => void,
  onFailure: (message: string) => void,
): EngineClient {
  const worker = new Worker(createTrustedUrl(), { type: "module", name: "koine-engine" });
  worker.addEventListener("message", ({ data }: MessageEvent<EngineResponse>) => onResponse(data));
  worker.addEventListener("error", ({ message }) =>
    onFailure(message === "" ? "The translation engine could not be started." : message),
  );
  return {
    // A worker has the origin of the page; `postMessage` takes no target origin.
    // oxlint-disable-next-line unicorn/require-post-message-target-origin
    send: (request) => worker.postMessage(request),
    close: () => worker.terminate(),
  };
}
