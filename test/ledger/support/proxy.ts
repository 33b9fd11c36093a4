// A proxy before a database that cuts a connection at a chosen moment.
import { once } from "node:events";
import { connect, createServer, type Socket } from "node:net";

/**
 * The treatment of bytes to the server: "lose" cuts before they arrive, "send" cuts after they arrived, before any
 * response.
 */
export type Cut = "lose" | "send" | undefined;

export interface Proxy {
  /** The URL through the proxy. */
  url: string;
  /** Decides about each chunk that a client sends. */
  cut: (bytes: Buffer) => Cut;
  close(): Promise<void>;
}

export async function startProxy(url: string): Promise<Proxy> {
  const target = new URL(url);
  const through = new URL(url);
  const sockets = new Set<Socket>();
  const server = createServer((client) => {
    const upstream = connect(Number(target.port), target.hostname);
    let isCut = false;
    for (const socket of [client, upstream]) {
      sockets.add(socket);
      socket.on("error", () => undefined);
      socket.on("close", () => {
        sockets.delete(socket);
        client.destroy();
        // The server reads everything that was sent before it notices the lost connection.
        upstream.end();
      });
    }
    client.on("data", (bytes: Buffer) => {
      const what = isCut ? "lose" : proxy.cut(bytes);
      isCut ||= what !== undefined;
      if (what !== "lose") upstream.write(bytes);
      if (what !== undefined) client.destroy();
    });
    upstream.on("data", (bytes: Buffer) => isCut || client.write(bytes));
  }).listen(0, "127.0.0.1");
  await once(server, "listening");
  const address = server.address();
  if (address === null || typeof address === "string") throw new Error("The proxy has no port.");
  through.port = String(address.port);
  const proxy: Proxy = {
    url: through.href,
    cut: () => undefined,
    close: async () => {
      for (const socket of sockets) socket.destroy();
      server.close();
      await once(server, "close");
    },
  };
  return proxy;
}
