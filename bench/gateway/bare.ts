// A minimal gateway with node:http and undici. Mode "parse" parses and writes the JSON of requests, responses and
// stream events; mode "pipe" forwards bytes. The arguments are the mode and the provider's address.
import type { IncomingMessage, ServerResponse } from "node:http";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { Agent, request } from "undici";

const [mode = "parse", upstream = ""] = process.argv.slice(2);
const dispatcher = new Agent({ keepAliveTimeout: 60_000 });

async function readBody(incoming: IncomingMessage): Promise<Buffer> {
  const parts: Buffer[] = [];
  // The cast is safe, because the chunks are buffers if no encoding is set.
  for await (const part of incoming) parts.push(part as Buffer);
  return Buffer.concat(parts);
}

function reserialize(text: string): string {
  return JSON.stringify(JSON.parse(text));
}

/** Parses every event of a stream and writes it to the client. */
async function parseStream(body: AsyncIterable<Buffer>, outgoing: ServerResponse): Promise<void> {
  let rest = "";
  for await (const chunk of body) {
    const lines = (rest + chunk.toString()).split("\n");
    rest = lines.pop() ?? "";
    let out = "";
    for (const line of lines) {
      out += line.startsWith("data: {") ? `data: ${reserialize(line.slice(6))}\n` : `${line}\n`;
    }
    if (!outgoing.write(out)) await new Promise((resolve) => outgoing.once("drain", resolve));
  }
  outgoing.end(rest);
}

async function serve(incoming: IncomingMessage, outgoing: ServerResponse): Promise<void> {
  const requestBody = await readBody(incoming);
  const body = mode === "pipe" ? requestBody : reserialize(requestBody.toString());
  const headers = { "content-type": "application/json" };
  const reply = await request(`${upstream}${incoming.url}`, { method: "POST", headers, body, dispatcher });
  const type = String(reply.headers["content-type"]);
  outgoing.writeHead(reply.statusCode, { "content-type": type });
  if (mode === "pipe") {
    for await (const chunk of reply.body) {
      if (!outgoing.write(chunk)) await new Promise((resolve) => outgoing.once("drain", resolve));
    }
    outgoing.end();
  } else if (type.startsWith("text/event-stream")) await parseStream(reply.body, outgoing);
  else outgoing.end(reserialize(await reply.body.text()));
}

const server = createServer((incoming, outgoing) => void serve(incoming, outgoing));
server.keepAliveTimeout = 60_000;
server.listen(0, "127.0.0.1", () => {
  // The cast is safe, because the address of a listening TCP server is an AddressInfo.
  console.log(`http://127.0.0.1:${(server.address() as AddressInfo).port}`);
});
