// What the security tests share: tenants with tokens, a client that names nothing it is not told, and words of attack.
import { createHash } from "node:crypto";
import type { TenantConfig } from "../../../src/server/config/types.ts";
import type { KoineServer } from "../../../src/server/server.ts";

/** Tenants, each with the names of its tokens. */
export function tenantsOf(names: Readonly<Record<string, readonly string[]>>): Map<string, TenantConfig> {
  const tenants = Object.entries(names).map(([tenant, tokens]): [string, TenantConfig] => [
    tenant,
    { tokens: tokens.map((name) => ({ name, hash: createHash("sha256").update(tokenOf(name)).digest("hex") })) },
  ]);
  return new Map(tenants);
}

/** The token of this name, as a client would have it. */
export function tokenOf(name: string): string {
  return `koine_token-of-${name}-0123456789`;
}

export interface Sent {
  method: string;
  path: string;
  headers?: Record<string, string>;
  /** Text and bytes go out as they are, everything else as JSON. */
  body?: unknown;
}

export interface Told {
  status: number;
  headers: Record<string, string>;
  text: string;
}

function bearer(name: string): Record<string, string> {
  return { authorization: `Bearer ${tokenOf(name)}` };
}

function bodyOf(body: unknown): BodyInit | undefined {
  if (body === undefined || typeof body === "string") return body;
  // Node's own types of bytes say more than the web's.
  return body instanceof Uint8Array ? (body as Uint8Array<ArrayBuffer>) : JSON.stringify(body);
}

/** The request as the server would have it from a client: without a network between them. */
export function ask(koine: KoineServer, sent: Sent, token?: string): Promise<Response> {
  const { method, path, headers = {}, body } = sent;
  const init: RequestInit = { method, headers: { "content-type": "application/json", ...headers } };
  if (token !== undefined) Object.assign(init.headers ?? {}, bearer(token));
  const given = bodyOf(body);
  if (given !== undefined) init.body = given;
  return koine.fetch(new Request(`http://localhost${path}`, init));
}

export async function tell(koine: KoineServer, sent: Sent, token?: string): Promise<Told> {
  const reply = await ask(koine, sent, token);
  return { status: reply.status, headers: Object.fromEntries(reply.headers), text: await reply.text() };
}

/** Reads a stream that may never end, until the words are in it. */
export async function readUntil(reply: Response, words: string): Promise<string> {
  if (reply.body === null) return "";
  const reader = reply.body.getReader();
  const decoder = new TextDecoder();
  let text = "";
  while (!text.includes(words)) {
    const { done, value } = await reader.read();
    if (done) return text;
    text += decoder.decode(value, { stream: true });
  }
  await reader.cancel();
  return text;
}

/** JSON of a reply that must be an object. */
export function jsonOf({ status, text }: Told): Record<string, unknown> {
  const value: unknown = JSON.parse(text);
  if (typeof value === "object" && value !== null && status < 400) return value as Record<string, unknown>;
  throw new Error(`It was refused: ${status} ${text}`);
}

/** A value within a reply, by the names on the way to it. */
export function within(value: unknown, ...keys: readonly (string | number)[]): unknown {
  return keys.reduce<unknown>((at, key) => (at as Record<string | number, unknown> | undefined)?.[key], value);
}

/** A text within a reply, by the names on the way to it. */
export function textAt(value: unknown, ...keys: readonly (string | number)[]): string {
  const found = within(value, ...keys);
  if (typeof found === "string" && found !== "") return found;
  throw new Error(`There is no text at ${keys.join("/")} in ${JSON.stringify(value)}`);
}
