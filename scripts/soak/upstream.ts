// A provider for the soak, a process of its own: Anthropic's protocol, a piece of text every so many milliseconds. One
// argument: the milliseconds. Says on standard output where it listens.
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { callIn, piecesOf } from "./talk.ts";

const gapMs = Number(process.argv[2] ?? 100);

function event(type: string, fields: object): string {
  return `event: ${type}\ndata: ${JSON.stringify({ type, ...fields })}\n\n`;
}

const server = createServer((incoming, outgoing) => {
  let body = "";
  incoming.setEncoding("utf8").on("data", (text: string) => (body += text));
  incoming.on("end", () => {
    const call = callIn(body);
    const usage = { input_tokens: 20, output_tokens: 1 };
    const message = { id: `msg_${call}`, type: "message", role: "assistant", model: "soak", content: [], usage };
    outgoing.writeHead(200, { "content-type": "text/event-stream" });
    outgoing.write(event("message_start", { message }));
    outgoing.write(event("content_block_start", { index: 0, content_block: { type: "text", text: "" } }));
    const pieces = piecesOf(call);
    const timer = setInterval(() => {
      const text = pieces.shift();
      if (text !== undefined) {
        outgoing.write(event("content_block_delta", { index: 0, delta: { type: "text_delta", text } }));
        return;
      }
      clearInterval(timer);
      outgoing.write(event("content_block_stop", { index: 0 }));
      outgoing.write(event("message_delta", { delta: { stop_reason: "end_turn" }, usage: { output_tokens: 400 } }));
      outgoing.end(event("message_stop", {}));
    }, gapMs);
    outgoing.on("close", () => clearInterval(timer));
  });
});
server.keepAliveTimeout = 60_000;
server.listen(0, "127.0.0.1", () => {
  // A server that listens on a port has an address with one.
  console.log(`http://127.0.0.1:${(server.address() as AddressInfo).port}`);
});
