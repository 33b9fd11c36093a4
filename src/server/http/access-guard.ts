// Checks that the `Host` header is an allowed name of the server and that the `Origin` header is an allowed origin. The
// checks prevent DNS rebinding, by which any web page could reach a server on loopback.
import { isIP } from "node:net";
import { ConfigError } from "../config/mistakes.ts";
import type { ServerConfig } from "../config/types.ts";
import { ServerError } from "../errors.ts";

type GuardHeaders = Readonly<Record<string, string>>;

export interface AccessGuard {
  /**
   * Throws a `ServerError` "forbidden" if the host or the origin is not allowed. Returns the origin for the CORS
   * headers if a page of another origin sent the request, and otherwise undefined.
   */
  check(method: string, headers: GuardHeaders): string | undefined;
}

export function createAccessGuard({
  host,
  hosts,
  origins,
}: Pick<ServerConfig, "host" | "hosts" | "origins">): AccessGuard {
  const names = new Set([host, ...hosts].map((name) => normalizeHost(name)));
  const allowsAnyHost = names.has("*");
  const isPublicHost = !isLoopback(host);
  const allowedOrigins = new Set(origins.map((origin) => origin.toLowerCase().replace(/\/$/, "")));
  const allowsAnyOrigin = allowedOrigins.has("*");
  // The last allowed host is cached, because a client sends the same host with every request.
  let lastAllowed: string | undefined;
  const isAllowedHost = (hostHeader: string): boolean => {
    const name = normalizeHost(hostHeader);
    // With DNS rebinding, the `Host` header is always a DNS name. A server that is not on loopback can therefore accept
    // any IP address as its host.
    return allowsAnyHost || names.has(name) || isLoopback(name) || (isPublicHost && isIP(name) !== 0);
  };
  return {
    check(method, headers) {
      const hostHeader = headers["host"];
      if (hostHeader !== undefined && hostHeader !== lastAllowed) {
        if (!isAllowedHost(hostHeader)) throw createHostError(hostHeader);
        lastAllowed = hostHeader;
      }
      const origin = headers["origin"];
      if (origin === undefined) {
        rejectCrossSiteEmbed(method, headers);
        return undefined;
      }
      const page = origin.toLowerCase();
      if (
        hostHeader !== undefined &&
        (page === `http://${hostHeader.toLowerCase()}` || page === `https://${hostHeader.toLowerCase()}`)
      ) {
        return undefined;
      }
      if (allowsAnyOrigin || allowedOrigins.has(page)) return origin;
      throw createOriginError(origin);
    },
  };
}

/** True if the address or name refers to this machine only. */
export function isLoopback(host: string): boolean {
  const name = normalizeHost(host);
  return (
    name === "localhost" ||
    name.endsWith(".localhost") ||
    name === "::1" ||
    (isIP(name) === 4 && name.startsWith("127."))
  );
}

/** Throws a `ConfigError` if other machines could reach a server that requires no token. */
export function checkAccess({ host, tenants, unprotected }: ServerConfig): void {
  if (isLoopback(host) || tenants.size > 0 || unprotected === true) return;
  const what = `is ${host}, which other machines can reach, and no token is required.`;
  const how = 'Add "tenants" with a token (`koine token create`), use --host 127.0.0.1, or set "unprotected": true.';
  throw new ConfigError([{ path: "/host", message: `${what} ${how}` }]);
}

/**
 * Returns the host in lower case, without port and brackets. Malformed brackets are not removed, so that the host
 * matches no allowed name.
 */
function normalizeHost(host: string): string {
  const lower = host.trim().toLowerCase();
  const [, address] = /^\[([\da-f:.]+)\](?::\d*)?$/.exec(lower) ?? [];
  if (address !== undefined) return address;
  // An IPv6 address without brackets has several colons and no port, so it is not changed.
  return lower.indexOf(":") === lower.lastIndexOf(":") ? lower.replace(/:\d*$/, "") : lower;
}

/**
 * Throws if another site embeds a URL of the server. Browsers request images and scripts without an `Origin` header,
 * but with `Sec-Fetch-Site`.
 */
function rejectCrossSiteEmbed(method: string, headers: GuardHeaders): void {
  const site = headers["sec-fetch-site"];
  if (site === undefined || site === "same-origin" || site === "none") return;
  if (headers["sec-fetch-mode"] === "navigate" && (method === "GET" || method === "HEAD")) return;
  throw createOriginError("another site");
}

function createHostError(hostHeader: string): ServerError {
  const name = JSON.stringify(normalizeHost(hostHeader).slice(0, 100));
  const message = `The host ${name} is not allowed: add it to "hosts" in koine.config.json, or use http://127.0.0.1.`;
  return new ServerError("forbidden", message, { path: "host" });
}

function createOriginError(origin: string): ServerError {
  const name = JSON.stringify(origin.slice(0, 100));
  const message = `The origin ${name} is not allowed: add it to "origins" in koine.config.json.`;
  return new ServerError("forbidden", message, { path: "origin" });
}
