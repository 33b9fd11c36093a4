// The model of a campaign: a server that speaks Anthropic's protocol, thinks, answers piece by piece, and calls the tools
// that it is told to. It looks at every history that it is shown.
import { once } from "node:events";
import { createServer, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { text as readText } from "node:stream/consumers";
import { setTimeout as pause } from "node:timers/promises";
import type { Seeded } from "../../ledger/crash/seeded.ts";
import type { Fault } from "./evidence.ts";
import { answerPieces, attemptOf, callsFor, signatureOf, thoughtOf } from "./talk.ts";

export interface Model {
  readonly url: string;
  /** What was wrong with the histories that it was shown. */
  readonly faults: readonly Fault[];
  /** How often it was asked, and how many answers of its own it was shown. */
  readonly asked: number;
  readonly shown: number;
  stop(): Promise<void>;
}

interface Block {
  type: string;
  text?: string;
  thinking?: string;
  signature?: string;
  id?: string;
  name?: string;
  input?: object;
}
interface Asked {
  stream?: boolean;
  messages: { role: string; content: string | Block[] }[];
}

const MOST_PIECES = 20;
const LONGEST_GAP_MS = 25;

export async function startModel(random: Seeded): Promise<Model> {
  const faults: Fault[] = [];
  let [attempts, shown] = [0, 0];
  const server = createServer((request, response) => {
    // Whoever asked may be dead by now.
    response.on("error", () => undefined);
    void readText(request).then(
      (body) => answer(body, response),
      () => response.destroy(),
    );
  });

  async function answer(body: string, response: ServerResponse): Promise<void> {
    // Written by Koine under test: what is missing is seen below, or throws.
    const { messages, stream = false } = JSON.parse(body) as Asked;
    const attempt = attempts++;
    for (const { role, content } of messages) {
      if (role !== "assistant") continue;
      shown++;
      const what = faultOf(blocksOf(content));
      if (what !== undefined) faults.push({ where: `call ${attempt} of the model`, what });
    }
    const said = blocksOf(messages.at(-1)?.content ?? []).flatMap(({ type, text = "" }) =>
      type === "text" ? text : [],
    );
    const calls = callsFor(said.join("\n"), attempt);
    const pieces = answerPieces(said.at(-1) ?? "what the tools say", attempt, random.below(MOST_PIECES));
    const gap = random.below(LONGEST_GAP_MS);
    const told = { attempt, pieces, calls };
    if (stream) await send(response, told, gap);
    else {
      await pause(gap * pieces.length);
      response.writeHead(200, { "content-type": "application/json" }).end(JSON.stringify(whole(told)));
    }
  }

  server.keepAliveTimeout = 60_000;
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  // A server that listens on a port has an address with one.
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}`,
    faults,
    get asked() {
      return attempts;
    },
    get shown() {
      return shown;
    },
    async stop() {
      server.close();
      server.closeAllConnections();
      await once(server, "close");
    },
  };
}

function blocksOf(content: string | Block[]): Block[] {
  return typeof content === "string" ? [{ type: "text", text: content }] : content;
}

/** What is wrong with an answer that is shown: its thinking must be there as it was given. */
function faultOf(blocks: readonly Block[]): string | undefined {
  const text = blocks.flatMap((block) => (block.type === "text" ? (block.text ?? "") : [])).join("");
  const attempt = attemptOf(text);
  if (attempt === undefined) return `An answer that was never given: ${JSON.stringify(blocks)}`;
  const [thought] = blocks;
  if (thought?.thinking === thoughtOf(attempt) && thought.signature === signatureOf(attempt)) return undefined;
  return `Answer ${attempt} without its thinking: ${JSON.stringify(blocks)}`;
}

interface Told {
  attempt: number;
  pieces: readonly string[];
  calls: readonly { key: string; tool: string }[];
}

const USAGE = { input_tokens: 20, output_tokens: 10 };

function headOf(attempt: number): object {
  return { id: `msg_${attempt}`, type: "message", role: "assistant", model: "campaign" };
}

function whole({ attempt, pieces, calls }: Told): object {
  const content: Block[] = [
    { type: "thinking", thinking: thoughtOf(attempt), signature: signatureOf(attempt) },
    { type: "text", text: pieces.join("") },
    ...calls.map(({ key, tool }) => ({ type: "tool_use", id: key.replaceAll(".", "_"), name: tool, input: { key } })),
  ];
  return { ...headOf(attempt), content, stop_reason: calls.length === 0 ? "end_turn" : "tool_use", usage: USAGE };
}

function event(type: string, fields: object): string {
  return `event: ${type}\ndata: ${JSON.stringify({ type, ...fields })}\n\n`;
}

async function send(response: ServerResponse, { attempt, pieces, calls }: Told, gapMs: number): Promise<void> {
  const delta = (index: number, fields: object): string => event("content_block_delta", { index, delta: fields });
  const start = (index: number, block: object): string => event("content_block_start", { index, content_block: block });
  const stop = (index: number): string => event("content_block_stop", { index });
  response.writeHead(200, { "content-type": "text/event-stream" });
  response.write(
    event("message_start", { message: { ...headOf(attempt), content: [], usage: USAGE } }) +
      start(0, { type: "thinking", thinking: "", signature: "" }) +
      delta(0, { type: "thinking_delta", thinking: thoughtOf(attempt) }) +
      delta(0, { type: "signature_delta", signature: signatureOf(attempt) }) +
      stop(0) +
      start(1, { type: "text", text: "" }),
  );
  for (const text of pieces) {
    response.write(delta(1, { type: "text_delta", text }));
    await pause(gapMs);
  }
  response.write(stop(1));
  for (const [at, { key, tool }] of calls.entries()) {
    const block = { type: "tool_use", id: key.replaceAll(".", "_"), name: tool, input: {} };
    response.write(
      start(2 + at, block) + delta(2 + at, { type: "input_json_delta", partial_json: JSON.stringify({ key }) }),
    );
    response.write(stop(2 + at));
  }
  const reason = calls.length === 0 ? "end_turn" : "tool_use";
  response.write(event("message_delta", { delta: { stop_reason: reason }, usage: { output_tokens: 10 } }));
  response.end(event("message_stop", {}));
}
