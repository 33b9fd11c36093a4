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

/** Returns the worker's URL, approved by the Trusted Types policy; a plain URL in browsers without Trusted Types. */
function createTrustedUrl(): string {
  // The cast is needed, because the installed DOM typings do not have `trustedTypes`.
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
    // The lint rule disabled below is meant for `postMessage` of windows; `postMessage` of a worker has no parameter
    // for a target origin.
    // oxlint-disable-next-line unicorn/require-post-message-target-origin
    send: (request) => worker.postMessage(request),
    close: () => worker.terminate(),
  };
}
