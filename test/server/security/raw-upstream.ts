// A provider that answers bytes as they are: status line, headers and body are whatever a test says, HTTP or not.
import { createServer, type AddressInfo, type Socket } from "node:net";
import type { HttpProvider } from "../../../src/client/index.ts";
import type { DoorId } from "../../../src/server/gateway/doors.ts";

export interface RawQuestion {
  /** The first line and the headers, as they came. */
  head: string;
  path: string;
  body: string;
}

export interface RawReply {
  bytes: Uint8Array | string;
  /** What happens then: the connection is closed in order, or torn down, or left as it is. Default: closed. */
  afterwards?: "close" | "tear" | "stall";
}

export interface RawUpstream extends AsyncDisposable {
  readonly url: string;
  readonly questions: RawQuestion[];
  /** As a provider that speaks the dialect. Nothing is tried twice, and nothing waited for long. */
  provider(dialect: DoorId, more?: Partial<HttpProvider>): HttpProvider;
}

export const PROTOCOLS = [
  "openai-chat",
  "openai-responses",
  "anthropic",
  "gemini",
] as const satisfies readonly DoorId[];

const WAITS = { retry: { attempts: 1 }, timeouts: { connectMs: 5000, replyMs: 1500, gapMs: 1000, totalMs: 5000 } };

export async function rawUpstream(answer: (question: RawQuestion) => RawReply): Promise<RawUpstream> {
  const questions: RawQuestion[] = [];
  const sockets = new Set<Socket>();
  const server = createServer((socket) => {
    sockets.add(socket);
    socket.on("close", () => sockets.delete(socket));
    // Who leaves early tears the connection down.
    socket.on("error", () => {});
    let heard = "";
    socket.setEncoding("latin1");
    socket.on("data", (text: string) => {
      heard += text;
      const question = wholeQuestion(heard);
      if (question === undefined) return;
      heard = "";
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

function wholeQuestion(heard: string): RawQuestion | undefined {
  const end = heard.indexOf("\r\n\r\n");
  if (end < 0) return undefined;
  const head = heard.slice(0, end);
  const length = Number(/^content-length: (\d+)/im.exec(head)?.[1] ?? 0);
  if (heard.length < end + 4 + length) return undefined;
  return { head, path: head.split(" ")[1] ?? "", body: heard.slice(end + 4) };
}

/** An ordinary reply. */
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
