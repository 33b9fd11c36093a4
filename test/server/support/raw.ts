// A client that writes bytes as it likes: for what no HTTP library would send.
import { connect } from "node:net";
import type { Socket } from "node:net";

export interface RawClient extends Disposable {
  readonly socket: Socket;
  write(text: string | Uint8Array): void;
  /** Everything that came, once the other side has closed. */
  closed(): Promise<string>;
  /** Everything that came, once the pattern is in the last few thousand characters of it. */
  until(pattern: RegExp): Promise<string>;
}

export function connectRaw(url: string): RawClient {
  const { hostname, port } = new URL(url);
  const socket = connect(Number(port), hostname);
  let heard = "";
  let tail = "";
  let isClosed = false;
  const waiting = new Set<() => void>();
  const look = (): void => waiting.forEach((each) => each());
  socket.setEncoding("latin1");
  socket.on("data", (text: string) => {
    heard += text;
    tail = (tail + text).slice(-10_000);
    look();
  });
  // A connection that is cut is closed; that is what is waited for.
  socket.on("error", () => {});
  socket.on("close", () => {
    isClosed = true;
    look();
  });
  const when = (isThere: () => boolean): Promise<string> =>
    new Promise((resolve, reject) => {
      const check = (): void => {
        if (isThere()) resolve(heard);
        else if (isClosed) reject(new Error(`The connection was closed after: ${heard}`));
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
