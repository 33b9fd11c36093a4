// llm-bridge as a contender. Its representation of a request contains a copy of the raw body, which it returns if it
// detects no change. A second table row measures the representation without that copy.
import { ADDITION, APPENDED } from "../wire/edit.ts";
import type { DialectName } from "../wire/wire.ts";
import type { Contender, RoundTripJob, RoundTripper, StreamJob } from "./contender.ts";
import { absent, unreported } from "./contender.ts";
import { loadPeer } from "./install.ts";

interface Content {
  type: string;
  text?: string;
}
interface Universal {
  messages: { role: string; content: Content[] }[];
  _original?: unknown;
}
interface Bridge {
  toUniversal(provider: string, body: unknown): Universal;
  fromUniversal(provider: string, universal: Universal): unknown;
  translateBetweenProviders(from: string, to: string, body: unknown): unknown;
  handleUniversalStreamRequest(stream: ReadableStream<Uint8Array>, from: string, to: string): ReadableStream<unknown>;
  createTextContent(text: string): Content;
  createUserMessage(text: string, options: { provider: string }): Universal["messages"][number];
}

const PROVIDERS: Record<DialectName, string> = {
  "openai-chat": "openai",
  "openai-responses": "openai-responses",
  anthropic: "anthropic",
  gemini: "google",
};

/** Edits with the library's constructors, because an overwritten text has a raw copy, which takes precedence. */
function edit(bridge: Bridge, { messages }: Universal, provider: string): void {
  for (const { content } of messages.filter(({ role }) => role === "user")) {
    const place = content.findIndex(({ type }) => type === "text");
    if (place === -1) continue;
    content[place] = bridge.createTextContent(`${content[place]?.text ?? ""}${ADDITION}`);
    break;
  }
  messages.push(bridge.createUserMessage(APPENDED, { provider }));
}

function roundTripper(bridge: Bridge, name: string, keepsBody: boolean): RoundTripper {
  return {
    name,
    gap: ({ kind }: Pick<RoundTripJob, "kind">) => (kind === "responses" ? "it converts no responses" : undefined),
    run(job) {
      const provider = PROVIDERS[job.dialect];
      const universal = bridge.toUniversal(provider, JSON.parse(job.text));
      if (job.edit) edit(bridge, universal, provider);
      if (!keepsBody) delete universal["_original"];
      return unreported(JSON.stringify(bridge.fromUniversal(provider, universal)));
    },
  };
}

async function throughStreams(bridge: Bridge, { from, to, chunks }: StreamJob): Promise<string> {
  const source = new ReadableStream<Uint8Array>({
    start(controller) {
      for (const chunk of chunks) controller.enqueue(chunk);
      controller.close();
    },
  });
  const target = bridge.handleUniversalStreamRequest(source, PROVIDERS[from], PROVIDERS[to]);
  const decoder = new TextDecoder();
  let text = "";
  for await (const chunk of target) {
    text += chunk instanceof Uint8Array ? decoder.decode(chunk, { stream: true }) : String(chunk);
  }
  return text;
}

export async function loadBridge(): Promise<Contender> {
  const loaded = await loadPeer<Bridge>("llm-bridge", [
    "toUniversal",
    "fromUniversal",
    "translateBetweenProviders",
    "handleUniversalStreamRequest",
    "createTextContent",
    "createUserMessage",
  ]);
  if ("missing" in loaded) return absent("llm-bridge", loaded.missing);
  const bridge = loaded.api;
  return {
    roundTrippers: [
      roundTripper(bridge, "llm-bridge, raw body kept", true),
      roundTripper(bridge, "llm-bridge, without it", false),
    ],
    translator: {
      name: "llm-bridge",
      gap: () => undefined,
      run({ from, to, text }) {
        const body: unknown = bridge.translateBetweenProviders(PROVIDERS[from], PROVIDERS[to], JSON.parse(text));
        return unreported(JSON.stringify(body));
      },
    },
    streamer: { name: "llm-bridge", gap: () => undefined, run: (job) => throughStreams(bridge, job) },
  };
}
