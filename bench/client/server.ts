// The provider for the client benchmark: a separate process with the four protocols, which answers every request with
// the same stream or body and prints its address on standard output. The argument is the number of deltas of an answer.
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import type { StreamEvent } from "../payloads/streams.ts";
import { lines, createScript, STREAM_WRITERS } from "../payloads/streams.ts";
import type { DialectName } from "../wire/wire.ts";

const count = Number(process.argv[2] ?? 100);

const ROUTES: readonly [path: string, dialect: DialectName][] = [
  ["/chat/completions", "openai-chat"],
  ["/responses", "openai-responses"],
  ["/messages", "anthropic"],
  [":streamGenerateContent", "gemini"],
];

const streams = new Map(
  ROUTES.map(([path, dialect]) => {
    const events: StreamEvent[] = [...STREAM_WRITERS[dialect](createScript(count))];
    return [path, events.map((event) => Buffer.from(lines(event)))];
  }),
);

const server = createServer((incoming, outgoing) => {
  const { pathname } = new URL(incoming.url ?? "/", "http://127.0.0.1");
  const stream = [...streams].find(([path]) => pathname.endsWith(path))?.[1];
  incoming.resume().on("end", () => {
    if (stream === undefined) {
      outgoing.writeHead(404).end(`No route for ${pathname}.`);
      return;
    }
    outgoing.writeHead(200, { "content-type": "text/event-stream" });
    for (const event of stream) outgoing.write(event);
    outgoing.end();
  });
});
server.listen(0, "127.0.0.1", () => {
  // The cast is safe, because the address of a listening TCP server is an AddressInfo.
  console.log(`http://127.0.0.1:${(server.address() as AddressInfo).port}`);
});
