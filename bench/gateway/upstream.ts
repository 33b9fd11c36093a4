// The provider behind the gateways: a separate process with the protocols Chat and Messages, which writes each chunk of
// a stream in its own event-loop tick and prints its address on standard output.
import type { ServerResponse } from "node:http";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { ANTHROPIC_WHOLE, anthropicStream, CHAT_WHOLE, chatStream } from "./payloads.ts";

const CHUNKS = 100;
const STREAMS = { chat: chatStream(CHUNKS).map(bytes), messages: anthropicStream(CHUNKS).map(bytes) };
const WHOLE = { chat: bytes(CHAT_WHOLE), messages: bytes(ANTHROPIC_WHOLE) };

function bytes(text: string): Buffer {
  return Buffer.from(text);
}

function stream(outgoing: ServerResponse, pieces: readonly Buffer[]): void {
  outgoing.writeHead(200, { "content-type": "text/event-stream" });
  let at = 0;
  const next = (): void => {
    const piece = pieces[at++];
    if (piece === undefined) outgoing.end();
    else {
      outgoing.write(piece);
      setImmediate(next);
    }
  };
  next();
}

const server = createServer((incoming, outgoing) => {
  const kind = incoming.url?.includes("/messages") ? "messages" : "chat";
  const parts: Buffer[] = [];
  incoming.on("data", (part: Buffer) => parts.push(part));
  incoming.on("end", () => {
    if (Buffer.concat(parts).includes('"stream":true')) stream(outgoing, STREAMS[kind]);
    else outgoing.writeHead(200, { "content-type": "application/json" }).end(WHOLE[kind]);
  });
});
server.keepAliveTimeout = 60_000;
server.listen(0, "127.0.0.1", () => {
  // The cast is safe, because the address of a listening TCP server is an AddressInfo.
  console.log(`http://127.0.0.1:${(server.address() as AddressInfo).port}`);
});
