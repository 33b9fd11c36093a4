// The upstream of the soak test: a separate process that streams answers in Anthropic's protocol and prints its address
// on standard output. The argument is the time between two deltas in milliseconds.
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { readCallNumber, createAnswerDeltas } from "./questions.ts";

const gapMs = Number(process.argv[2] ?? 100);

function formatEvent(type: string, fields: object): string {
  return `event: ${type}\ndata: ${JSON.stringify({ type, ...fields })}\n\n`;
}

const server = createServer((incoming, outgoing) => {
  let body = "";
  incoming.setEncoding("utf8").on("data", (text: string) => (body += text));
  incoming.on("end", () => {
    const call = readCallNumber(body);
    const usage = { input_tokens: 20, output_tokens: 1 };
    const message = { id: `msg_${call}`, type: "message", role: "assistant", model: "soak", content: [], usage };
    outgoing.writeHead(200, { "content-type": "text/event-stream" });
    outgoing.write(formatEvent("message_start", { message }));
    outgoing.write(formatEvent("content_block_start", { index: 0, content_block: { type: "text", text: "" } }));
    const deltas = createAnswerDeltas(call);
    const timer = setInterval(() => {
      const text = deltas.shift();
      if (text !== undefined) {
        outgoing.write(formatEvent("content_block_delta", { index: 0, delta: { type: "text_delta", text } }));
        return;
      }
      clearInterval(timer);
      outgoing.write(formatEvent("content_block_stop", { index: 0 }));
      outgoing.write(
        formatEvent("message_delta", { delta: { stop_reason: "end_turn" }, usage: { output_tokens: 400 } }),
      );
      outgoing.end(formatEvent("message_stop", {}));
    }, gapMs);
    outgoing.on("close", () => clearInterval(timer));
  });
});
server.keepAliveTimeout = 60_000;
server.listen(0, "127.0.0.1", () => {
  // The cast is safe, because the address of a listening TCP server is an AddressInfo.
  console.log(`http://127.0.0.1:${(server.address() as AddressInfo).port}`);
});
