// A client that writes raw bytes, for requests that no HTTP library would send.
import { connect } from "node:net";
import type { Socket } from "node:net";

export interface RawClient extends Disposable {
  readonly socket: Socket;
  write(text: string | Uint8Array): void;
  /** Returns everything received until the server closed the connection. */
  closed(): Promise<string>;
  /** Returns everything received once its last few thousand characters match the pattern. */
  until(pattern: RegExp): Promise<string>;
}

export function connectRaw(url: string): RawClient {
  const { hostname, port } = new URL(url);
  const socket = connect(Number(port), hostname);
  let received = "";
  let tail = "";
  let isClosed = false;
  const waiting = new Set<() => void>();
  const look = (): void => waiting.forEach((each) => each());
  socket.setEncoding("latin1");
  socket.on("data", (text: string) => {
    received += text;
    tail = (tail + text).slice(-10_000);
    look();
  });
  // A reset also closes the connection, which is awaited.
  socket.on("error", () => {});
  socket.on("close", () => {
    isClosed = true;
    look();
  });
  const when = (isThere: () => boolean): Promise<string> =>
    new Promise((resolve, reject) => {
      const check = (): void => {
        if (isThere()) resolve(received);
        else if (isClosed) reject(new Error(`The connection was closed after: ${received}`));
        else return;
        waiting.delete(check);
      };
      waiting.add(check);
      check();
    });
  return {
    socket,
    write: (text) => void socket.write(text),
    closed: () => when(() => isClosed),
    until: (pattern) => when(() => pattern.test(tail)),
    [Symbol.dispose]: () => void socket.destroy(),
  };
}
