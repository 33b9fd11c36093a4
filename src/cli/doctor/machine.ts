// What the machine must have: a Node that is new enough, a free port, a clock that is right, and no open door.
import { createServer } from "node:net";
import type { ServerConfig } from "../../server/config/index.ts";
import { isLoopback } from "../../server/http/access-guard.ts";
import type { Finding } from "./finding.ts";

export function checkNode(): Finding {
  // Older ones do not come this far.
  return { name: "node", state: "ok", message: `Node ${process.versions.node}.` };
}

export function checkAccess({ host, tenants, unprotected }: ServerConfig): Finding {
  const name = "access";
  if (tenants.size > 0) {
    const names = [...tenants.keys()].join(", ");
    return { name, state: "ok", message: `Tokens are asked for; tenants: ${names}.` };
  }
  if (isLoopback(host)) return { name, state: "ok", message: "Only this machine can reach it, and needs no token." };
  return {
    name,
    state: unprotected === true ? "warn" : "fail",
    message: `It listens on ${host}, beyond this machine, and asks for no tokens.`,
    hint: 'Add tenants to the configuration ("koine token create" prints what to add), or listen on 127.0.0.1.',
  };
}

const PATIENCE_MS = 2000;

export async function checkPort({ host, port }: ServerConfig): Promise<Finding> {
  const name = "port";
  const failed = port === 0 ? undefined : await listenError(host, port);
  if (failed === undefined) return { name, state: "ok", message: `Port ${port} of ${host} is free.` };
  if (failed !== "EADDRINUSE") {
    const hint = "Name another address with --host, or a port above 1023 with --port.";
    return { name, state: "fail", message: `Cannot listen on port ${port} of ${host}: ${failed}.`, hint };
  }
  if (await isKoine(host, port)) {
    return { name, state: "ok", message: `A server of Koine's is listening on port ${port} of ${host}.` };
  }
  const hint = "Name another with --port, or end what uses it.";
  return { name, state: "fail", message: `Port ${port} of ${host} is in use by another program.`, hint };
}

/** Why nobody can listen there; undefined where one can. */
function listenError(host: string, port: number): Promise<string | undefined> {
  return new Promise((resolve) => {
    const server = createServer();
    server.once("error", (error: NodeJS.ErrnoException) => resolve(error.code ?? error.message));
    server.listen(port, host, () => server.close(() => resolve(undefined)));
  });
}

/** Whether it is a server of Koine's that is there. */
async function isKoine(host: string, port: number): Promise<boolean> {
  const name = /^(0\.0\.0\.0|::)$/.test(host) ? "127.0.0.1" : host.includes(":") ? `[${host}]` : host;
  try {
    const reply = await fetch(`http://${name}:${port}/metrics`, { signal: AbortSignal.timeout(PATIENCE_MS) });
    // Where there are tenants, it asks for a token.
    if (reply.headers.get("www-authenticate")?.includes("koine") === true) return true;
    return (await reply.text()).includes("koine_");
  } catch {
    // Whatever it is, it does not speak as Koine does.
    return false;
  }
}

/** A clock before that is wrong: Koine is younger. */
const EARLIEST = Date.UTC(2025, 0, 1);
/** Signed requests and tokens stop working at about five minutes. */
const TOLERATED_MS = 60_000;

/** `dates`: what the providers' replies said the time is, and when they said so. */
export function checkClock(now: number, dates: readonly { said: number; at: number }[]): Finding {
  const name = "clock";
  const hint = "Set the clock of this machine; ids and times of messages come from it.";
  const today = new Date(now).toISOString();
  if (now < EARLIEST) return { name, state: "fail", message: `The clock says ${today}.`, hint };
  const offs = dates.map(({ said, at }) => Math.abs(at - said)).toSorted((a, b) => a - b);
  const middle = offs[Math.floor(offs.length / 2)];
  if (middle !== undefined && middle > TOLERATED_MS) {
    const seconds = Math.round(middle / 1000);
    return { name, state: "warn", message: `The clock differs by ${seconds} s from what providers say.`, hint };
  }
  const agreed = middle === undefined ? "" : ", as providers say, too";
  return { name, state: "ok", message: `The clock says ${today}${agreed}.` };
}
