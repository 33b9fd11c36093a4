// The model of a campaign: a server with Anthropic's protocol that thinks, streams, and calls the tools of its
// instructions. It checks every history that it receives.
import { once } from "node:events";
import { createServer, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { text as readText } from "node:stream/consumers";
import { setTimeout as pause } from "node:timers/promises";
import type { SeededRandom } from "../../ledger/crash/campaign/seeded-random.ts";
import type { Fault } from "./evidence.ts";
import { answerTexts, attemptOf, callsFor, signatureOf, thoughtOf } from "./campaign-texts.ts";

export interface Model {
  readonly url: string;
  /** Faults in the histories it received. */
  readonly faults: readonly Fault[];
  /** The number of calls, and of its own answers in them. */
  readonly callCount: number;
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
interface ModelRequestBody {
  stream?: boolean;
  messages: { role: string; content: string | Block[] }[];
}

const MAX_TEXTS = 20;
const LONGEST_GAP_MS = 25;

export async function startModel(random: SeededRandom): Promise<Model> {
  const faults: Fault[] = [];
  let [attempts, shown] = [0, 0];
  const server = createServer((request, response) => {
    // The client may be dead.
    response.on("error", () => undefined);
    void readText(request).then(
      (body) => answer(body, response),
      () => response.destroy(),
    );
  });

  async function answer(body: string, response: ServerResponse): Promise<void> {
    // Written by Koine; missing fields are found below, or throw.
    const { messages, stream = false } = JSON.parse(body) as ModelRequestBody;
    const attempt = attempts++;
    for (const { role, content } of messages) {
      if (role !== "assistant") continue;
      shown++;
      const what = faultOf(blocksOf(content));
      if (what !== undefined) faults.push({ where: `call ${attempt} of the model`, what });
    }
    const inputTexts = blocksOf(messages.at(-1)?.content ?? []).flatMap(({ type, text = "" }) =>
      type === "text" ? text : [],
    );
    const calls = callsFor(inputTexts.join("\n"), attempt);
    const texts = answerTexts(inputTexts.at(-1) ?? "the tool results", attempt, random.below(MAX_TEXTS));
    const gap = random.below(LONGEST_GAP_MS);
    const answer = { attempt, texts, calls };
    if (stream) await send(response, answer, gap);
    else {
      await pause(gap * texts.length);
      response.writeHead(200, { "content-type": "application/json" }).end(JSON.stringify(whole(answer)));
    }
  }

  server.keepAliveTimeout = 60_000;
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  // A listening server has a port.
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}`,
    faults,
    get callCount() {
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

/** Describes the fault of an answer in a history: its thinking must be unchanged. */
function faultOf(blocks: readonly Block[]): string | undefined {
  const text = blocks.flatMap((block) => (block.type === "text" ? (block.text ?? "") : [])).join("");
  const attempt = attemptOf(text);
  if (attempt === undefined) return `An answer that was never given: ${JSON.stringify(blocks)}`;
  const [thought] = blocks;
  if (thought?.thinking === thoughtOf(attempt) && thought.signature === signatureOf(attempt)) return undefined;
  return `Answer ${attempt} without its thinking: ${JSON.stringify(blocks)}`;
}

interface CampaignAnswer {
  attempt: number;
  texts: readonly string[];
  calls: readonly { key: string; tool: string }[];
}

const USAGE = { input_tokens: 20, output_tokens: 10 };

function headOf(attempt: number): object {
  return { id: `msg_${attempt}`, type: "message", role: "assistant", model: "campaign" };
}

function whole({ attempt, texts, calls }: CampaignAnswer): object {
  const content: Block[] = [
    { type: "thinking", thinking: thoughtOf(attempt), signature: signatureOf(attempt) },
    { type: "text", text: texts.join("") },
    ...calls.map(({ key, tool }) => ({ type: "tool_use", id: key.replaceAll(".", "_"), name: tool, input: { key } })),
  ];
  return { ...headOf(attempt), content, stop_reason: calls.length === 0 ? "end_turn" : "tool_use", usage: USAGE };
}

function event(type: string, fields: object): string {
  return `event: ${type}\ndata: ${JSON.stringify({ type, ...fields })}\n\n`;
}

async function send(response: ServerResponse, { attempt, texts, calls }: CampaignAnswer, gapMs: number): Promise<void> {
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
  for (const text of texts) {
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
