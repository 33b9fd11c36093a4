// Checks the machine: the Node version, the protection of the address that the server listens on, the port and the
// clock.
import { createServer } from "node:net";
import type { ServerConfig } from "../../server/config/index.ts";
import { isLoopback } from "../../server/http/access-guard.ts";
import type { DoctorFinding } from "./finding.ts";

export function checkNode(): DoctorFinding {
  // The state is always "ok", because main.ts rejects older versions of Node before this check runs.
  return { name: "node", state: "ok", message: `Node ${process.versions.node}.` };
}

export function checkAccess({ host, tenants, unprotected }: ServerConfig): DoctorFinding {
  const name = "access";
  if (tenants.size > 0) {
    const names = [...tenants.keys()].join(", ");
    return { name, state: "ok", message: `Clients need a token; tenants: ${names}.` };
  }
  if (isLoopback(host))
    return { name, state: "ok", message: "Only this machine can reach the server; no token is needed." };
  return {
    name,
    state: unprotected === true ? "warn" : "fail",
    message: `The server listens on ${host}, which other machines can reach, and needs no token.`,
    hint: 'Add tenants to the configuration ("koine token create" prints what to add), or listen on 127.0.0.1.',
  };
}

const METRICS_TIMEOUT_MS = 2000;

export async function checkPort({ host, port }: ServerConfig): Promise<DoctorFinding> {
  const name = "port";
  if (port === 0) return { name, state: "ok", message: `Port 0: the server uses any free port of ${host}.` };
  const failed = await findListenError(host, port);
  if (failed === undefined) return { name, state: "ok", message: `Port ${port} of ${host} is free.` };
  if (failed !== "EADDRINUSE") {
    const hint = "Name another address with --host, or a port above 1023 with --port.";
    return { name, state: "fail", message: `Cannot listen on port ${port} of ${host}: ${failed}.`, hint };
  }
  if (await isKoineServer(host, port)) {
    return { name, state: "ok", message: `A Koine server already listens on port ${port} of ${host}.` };
  }
  const hint = "Name another port with --port, or stop the program that uses it.";
  return { name, state: "fail", message: `Port ${port} of ${host} is in use by another program.`, hint };
}

/** Tries to listen on the port. Returns the error code, or undefined if the port is free. */
function findListenError(host: string, port: number): Promise<string | undefined> {
  return new Promise((resolve) => {
    const server = createServer();
    server.once("error", (error: NodeJS.ErrnoException) => resolve(error.code ?? error.message));
    server.listen(port, host, () => server.close(() => resolve(undefined)));
  });
}

/** True if the program that listens on the port is a Koine server. */
async function isKoineServer(host: string, port: number): Promise<boolean> {
  const name = /^(0\.0\.0\.0|::)$/.test(host) ? "127.0.0.1" : host.includes(":") ? `[${host}]` : host;
  try {
    const reply = await fetch(`http://${name}:${port}/metrics`, { signal: AbortSignal.timeout(METRICS_TIMEOUT_MS) });
    // A Koine server with tenants rejects the request and names itself in this header.
    if (reply.headers.get("www-authenticate")?.includes("koine") === true) return true;
    return (await reply.text()).includes("koine_");
  } catch {
    // The program does not answer HTTP requests.
    return false;
  }
}

/** The time in a provider's reply, and the local time when it arrived; both in milliseconds. */
export interface ProviderDate {
  serverTime: number;
  receivedAt: number;
}

/** A clock that shows an earlier time is wrong, because Koine did not exist then. */
const EARLIEST_PLAUSIBLE_TIME = Date.UTC(2025, 0, 1);
/**
 * The clock difference from which the check warns. Providers reject signed requests and tokens from about five minutes.
 */
const MAX_CLOCK_DIFFERENCE_MS = 60_000;

/** Compares the local clock with the median of the `date` headers in the providers' replies. */
export function checkClock(now: number, dates: readonly ProviderDate[]): DoctorFinding {
  const name = "clock";
  const hint = "Set the clock of this machine: message ids and times use it.";
  const today = new Date(now).toISOString();
  if (now < EARLIEST_PLAUSIBLE_TIME) return { name, state: "fail", message: `The clock shows ${today}.`, hint };
  const differences = dates
    .map(({ serverTime, receivedAt }) => Math.abs(receivedAt - serverTime))
    .toSorted((a, b) => a - b);
  const median = differences[Math.floor(differences.length / 2)];
  if (median !== undefined && median > MAX_CLOCK_DIFFERENCE_MS) {
    const seconds = Math.round(median / 1000);
    return { name, state: "warn", message: `The clock differs from the providers' clocks by ${seconds} s.`, hint };
  }
  const agreement = median === undefined ? "" : ", in agreement with the providers";
  return { name, state: "ok", message: `The clock shows ${today}${agreement}.` };
}
