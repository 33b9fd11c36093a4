// Shared helpers of the security tests: tenants with tokens, a plain client, and accessors for replies.
import { createHash } from "node:crypto";
import type { ConfigInput } from "../../../src/server/config/config-input.ts";
import type { KoineServer } from "../../../src/server/server.ts";

/** Returns tenants with tokens of these names. */
export function tenantsOf(names: Readonly<Record<string, readonly string[]>>): NonNullable<ConfigInput["tenants"]> {
  const hash = (token: string): string => `sha256:${createHash("sha256").update(token).digest("hex")}`;
  const tenants = Object.entries(names).map(([tenant, tokens]) => [
    tenant,
    { tokens: tokens.map((name) => ({ name, hash: hash(tokenOf(name)) })) },
  ]);
  return Object.fromEntries(tenants) as NonNullable<ConfigInput["tenants"]>;
}

/** Returns the token of this name. */
export function tokenOf(name: string): string {
  return `koine_token-of-${name}-0123456789`;
}

export interface SentRequest {
  method: string;
  path: string;
  headers?: Record<string, string>;
  /** Text and bytes are sent unchanged, other values as JSON. */
  body?: unknown;
}

export interface ReadReply {
  status: number;
  headers: Record<string, string>;
  text: string;
}

function bearer(name: string): Record<string, string> {
  return { authorization: `Bearer ${tokenOf(name)}` };
}

function bodyOf(body: unknown): BodyInit | undefined {
  if (body === undefined || typeof body === "string") return body;
  // Node's byte types are narrower than the web's.
  return body instanceof Uint8Array ? (body as Uint8Array<ArrayBuffer>) : JSON.stringify(body);
}

/** Sends a request without a network. */
export function send(koine: KoineServer, sent: SentRequest, token?: string): Promise<Response> {
  const { method, path, headers = {}, body } = sent;
  const init: RequestInit = { method, headers: { "content-type": "application/json", ...headers } };
  if (token !== undefined) Object.assign(init.headers ?? {}, bearer(token));
  const requestBody = bodyOf(body);
  if (requestBody !== undefined) init.body = requestBody;
  return koine.fetch(new Request(`http://localhost${path}`, init));
}

export async function sendAndRead(koine: KoineServer, sent: SentRequest, token?: string): Promise<ReadReply> {
  const reply = await send(koine, sent, token);
  return { status: reply.status, headers: Object.fromEntries(reply.headers), text: await reply.text() };
}

/** Reads an endless stream until it contains the text. */
export async function readUntil(reply: Response, endText: string): Promise<string> {
  if (reply.body === null) return "";
  const reader = reply.body.getReader();
  const decoder = new TextDecoder();
  let text = "";
  while (!text.includes(endText)) {
    const { done, value } = await reader.read();
    if (done) return text;
    text += decoder.decode(value, { stream: true });
  }
  await reader.cancel();
  return text;
}

/** Returns the JSON object of a reply. */
export function jsonOf({ status, text }: ReadReply): Record<string, unknown> {
  const value: unknown = JSON.parse(text);
  if (typeof value === "object" && value !== null && status < 400) return value as Record<string, unknown>;
  throw new Error(`It was refused: ${status} ${text}`);
}

/** Returns a value within a reply. */
export function valueAt(value: unknown, ...keys: readonly (string | number)[]): unknown {
  return keys.reduce<unknown>((at, key) => (at as Record<string | number, unknown> | undefined)?.[key], value);
}

/** Returns a text within a reply. */
export function textAt(value: unknown, ...keys: readonly (string | number)[]): string {
  const item = valueAt(value, ...keys);
  if (typeof item === "string" && item !== "") return item;
  throw new Error(`There is no text at ${keys.join("/")} in ${JSON.stringify(value)}`);
}
