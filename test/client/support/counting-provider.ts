// A client with a provider that counts its calls, for middleware tests.
import type { Delta, ModelRequest } from "koine";
import { user } from "koine";
import type { CallOptions, Client, LocalProvider, Middleware } from "koine/client";
import { createClient } from "koine/client";

export const USAGE = { inputTokens: 1000, outputTokens: 100, totalTokens: 1100 };

/** Answers with the number of calls so far; fails on request. */
export function counting(usage: typeof USAGE | null = USAGE): LocalProvider & { callCount: number } {
  const provider = {
    callCount: 0,
    retry: { attempts: 2, baseMs: 0 },
    async *answer({ messages }: ModelRequest): AsyncGenerator<Delta> {
      await Promise.resolve();
      provider.callCount += 1;
      const [part] = messages.at(-1)?.parts ?? [];
      yield { kind: "start", payload: { modelId: "m-1", requestId: `r${provider.callCount}` } };
      if (part?.type === "text" && part.text === "break") {
        yield { kind: "text", payload: { textDelta: "I" } };
        yield { kind: "usage", payload: USAGE };
        yield { kind: "error", payload: { errorCode: "overloaded" } };
        return;
      }
      if (part?.type === "text" && part.text === "refuse") {
        yield { kind: "error", payload: { errorCode: "rate-limit", status: 429 } };
        return;
      }
      yield { kind: "text", payload: { textDelta: `answer ` } };
      yield { kind: "text", payload: { textDelta: `${provider.callCount}` } };
      if (usage !== null) yield { kind: "usage", payload: usage };
      yield { kind: "done", payload: { finishReason: "stop" } };
    },
  };
  return provider;
}

export interface Setup {
  client: Client;
  provider: { callCount: number };
  ask: (content: string, mode?: Mode, options?: CallOptions) => Promise<string>;
}
export type Mode = "complete" | "stream";

export function setup(middleware: Middleware[], provider = counting(), priced = true): Setup {
  const client = createClient({
    providers: { near: provider },
    middleware,
    ...(priced && { prices: { "near/*": { input: 1000, output: 10_000 } } }),
    effects: { sleep: () => Promise.resolve() },
  });
  return {
    client,
    provider,
    async ask(content, mode = "complete", options = {}) {
      const request: ModelRequest = { model: "m", messages: [user(content)] };
      if (mode === "complete") return textOf((await client.complete(request, options)).message.parts);
      let text = "";
      for await (const delta of client.stream(request, options)) {
        if (delta.kind === "text") text += delta.payload.textDelta;
      }
      return text;
    },
  };
}

export function textOf(parts: readonly { type: string }[]): string {
  return parts.map((part) => ("text" in part ? String(part.text) : "")).join("");
}
