// A provider that replies with raw bytes: status line, headers and body as the test defines them, valid HTTP or not.
import { createServer, type AddressInfo, type Socket } from "node:net";
import type { HttpProvider } from "../../../src/client/index.ts";
import type { ClientProtocolId } from "../../../src/server/gateway/protocols.ts";

export interface RawQuestion {
  /** The request line and the headers. */
  head: string;
  path: string;
  body: string;
}

export interface RawReply {
  bytes: Uint8Array | string;
  /** Afterwards the connection is closed, reset, or left open. Default: closed. */
  afterwards?: "close" | "tear" | "stall";
}

export interface RawUpstream extends AsyncDisposable {
  readonly url: string;
  readonly questions: RawQuestion[];
  /** Returns the provider configuration, without retries and with short timeouts. */
  provider(dialect: ClientProtocolId, more?: Partial<HttpProvider>): HttpProvider;
}

export const PROTOCOLS = [
  "openai-chat",
  "openai-responses",
  "anthropic",
  "gemini",
] as const satisfies readonly ClientProtocolId[];

const WAITS = { retry: { attempts: 1 }, timeouts: { connectMs: 5000, replyMs: 1500, gapMs: 1000, totalMs: 5000 } };

export async function rawUpstream(answer: (question: RawQuestion) => RawReply): Promise<RawUpstream> {
  const questions: RawQuestion[] = [];
  const sockets = new Set<Socket>();
  const server = createServer((socket) => {
    sockets.add(socket);
    socket.on("close", () => sockets.delete(socket));
    // A client that disconnects early resets the connection.
    socket.on("error", () => {});
    let received = "";
    socket.setEncoding("latin1");
    socket.on("data", (text: string) => {
      received += text;
      const question = wholeQuestion(received);
      if (question === undefined) return;
      received = "";
      questions.push(question);
      const { bytes, afterwards = "close" } = answer(question);
      if (afterwards === "close") socket.end(bytes);
      else socket.write(bytes, () => afterwards === "tear" && socket.destroy());
    });
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as AddressInfo; // it listens on a port
  const url = `http://127.0.0.1:${port}`;
  return {
    url,
    questions,
    provider: (dialect, more) => ({
      dialect,
      baseUrl: `${url}/${dialect}`,
      apiKey: "key-of-raw-upstream",
      ...WAITS,
      ...more,
    }),
    async [Symbol.asyncDispose]() {
      for (const socket of sockets) socket.destroy();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

function wholeQuestion(received: string): RawQuestion | undefined {
  const end = received.indexOf("\r\n\r\n");
  if (end < 0) return undefined;
  const head = received.slice(0, end);
  const length = Number(/^content-length: (\d+)/im.exec(head)?.[1] ?? 0);
  if (received.length < end + 4 + length) return undefined;
  return { head, path: head.split(" ")[1] ?? "", body: received.slice(end + 4) };
}

/** Creates a valid HTTP reply. */
export function httpReply(
  status: number,
  headers: Readonly<Record<string, string>>,
  body: Uint8Array | string,
): Uint8Array {
  const bytes = Buffer.from(body);
  const all = { connection: "close", "content-length": String(bytes.length), ...headers };
  const lines = Object.entries(all).map(([name, value]) => `${name}: ${value}\r\n`);
  return Buffer.concat([Buffer.from(`HTTP/1.1 ${status} Said\r\n${lines.join("")}\r\n`, "latin1"), bytes]);
}
