// Who may knock at all: names under which the server may be reached, and pages that may call it. Without this, a page
// of anybody could reach a server on loopback by giving its own name that address (DNS rebinding).
import { isIP } from "node:net";
import { ConfigError } from "../config/mistakes.ts";
import type { ServerConfig } from "../config/types.ts";
import { ServerError } from "../errors.ts";

type Headers = Readonly<Record<string, string>>;

export interface Guard {
  /** Throws a `ServerError` "forbidden". Gives the origin that the reply must name, where a page of another one asks. */
  check(method: string, headers: Headers): string | undefined;
}

export function createGuard({ host, hosts, origins }: Pick<ServerConfig, "host" | "hosts" | "origins">): Guard {
  const names = new Set([host, ...hosts].map((name) => bare(name)));
  const anyHost = names.has("*");
  const beyond = !isLoopback(host);
  const pages = new Set(origins.map((origin) => origin.toLowerCase().replace(/\/$/, "")));
  const anyPage = pages.has("*");
  // Clients say the same name again and again.
  let known: string | undefined;
  const isKnown = (said: string): boolean => {
    const name = bare(said);
    // An address cannot be rebound: whoever wrote it meant it. On loopback only those of loopback make sense.
    return anyHost || names.has(name) || isLoopback(name) || (beyond && isIP(name) !== 0);
  };
  return {
    check(method, headers) {
      const said = headers["host"];
      if (said !== undefined && said !== known) {
        if (!isKnown(said)) throw strangeHost(said);
        known = said;
      }
      const origin = headers["origin"];
      if (origin === undefined) {
        refuseEmbedded(method, headers);
        return undefined;
      }
      const page = origin.toLowerCase();
      if (said !== undefined && (page === `http://${said.toLowerCase()}` || page === `https://${said.toLowerCase()}`)) {
        return undefined;
      }
      if (anyPage || pages.has(page)) return origin;
      throw strangeOrigin(origin);
    },
  };
}

/** Whether an address or name leads to this machine only. */
export function isLoopback(host: string): boolean {
  const name = bare(host);
  return (
    name === "localhost" ||
    name.endsWith(".localhost") ||
    name === "::1" ||
    (isIP(name) === 4 && name.startsWith("127."))
  );
}

/** Throws a `ConfigError` where others could reach a server that asks for no token. */
export function checkAccess({ host, tenants, unprotected }: ServerConfig): void {
  if (isLoopback(host) || tenants.size > 0 || unprotected === true) return;
  const what = `is ${host}, where others can reach it, and nobody needs a token.`;
  const how = 'Add "tenants" with a token (`koine token create`), use --host 127.0.0.1, or say "unprotected": true.';
  throw new ConfigError([{ path: "/host", message: `${what} ${how}` }]);
}

/** A host's name without its port and brackets; what has something else behind its brackets stays as it is, and unknown. */
function bare(host: string): string {
  const lower = host.trim().toLowerCase();
  const [, address] = /^\[([\da-f:.]+)\](?::\d*)?$/.exec(lower) ?? [];
  if (address !== undefined) return address;
  // An IPv6 address without brackets has several colons and no port.
  return lower.indexOf(":") === lower.lastIndexOf(":") ? lower.replace(/:\d*$/, "") : lower;
}

/** Pictures and scripts of other pages say no origin, but browsers say what they are. */
function refuseEmbedded(method: string, headers: Headers): void {
  const site = headers["sec-fetch-site"];
  if (site === undefined || site === "same-origin" || site === "none") return;
  if (headers["sec-fetch-mode"] === "navigate" && (method === "GET" || method === "HEAD")) return;
  throw strangeOrigin("another site");
}

function strangeHost(said: string): ServerError {
  const name = JSON.stringify(bare(said).slice(0, 100));
  const message = `This server is not known as ${name}: add it to "hosts" in koine.config.json, or use http://127.0.0.1.`;
  return new ServerError("forbidden", message, { path: "host" });
}

function strangeOrigin(origin: string): ServerError {
  const name = JSON.stringify(origin.slice(0, 100));
  const message = `Pages of ${name} may not call this server: add the origin to "origins" in koine.config.json.`;
  return new ServerError("forbidden", message, { path: "origin" });
}
