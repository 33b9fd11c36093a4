// Creates the document that the page embeds to show one remote image, audio or video after the user's consent. The page
// itself may not load remote content; this document may, because it has no scripts and an origin of its own.
import { createHash } from "node:crypto";
import { ServerError } from "../errors.ts";
import type { ServerReply, ServerRequest } from "../types.ts";

const STYLE = "body{margin:0}img,video,audio{display:block;max-width:100%;max-height:100vh}";

const POLICY = [
  "default-src 'none'",
  "img-src http: https:",
  "media-src http: https:",
  `style-src 'sha256-${createHash("sha256").update(STYLE).digest("base64")}'`,
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'self'",
  "sandbox",
].join("; ");

export const REMOTE_KINDS = ["image", "audio", "video"] as const;
type RemoteKind = (typeof REMOTE_KINDS)[number];

export function remoteFrame({ query }: Pick<ServerRequest, "query">): ServerReply {
  const kind = REMOTE_KINDS.find((each) => each === query.get("kind")) ?? "image";
  const address = URL.parse(query.get("url") ?? "");
  if (address === null || !/^https?:$/.test(address.protocol)) {
    const message = "The url must be an http: or https: URL: ?kind=image&url=https://…";
    throw new ServerError("invalid-request", message, { path: "url" });
  }
  const body = `<!doctype html><html lang="en"><meta charset="utf-8"><title>Remote ${kind}</title><style>${STYLE}</style>${createMediaElement(kind, address)}</html>`;
  const headers = { "content-type": "text/html; charset=utf-8", "content-security-policy": POLICY };
  return { status: 200, headers, body };
}

function createMediaElement(kind: RemoteKind, { href }: URL): string {
  // All special characters of HTML are escaped, because URL parsing encodes `"`, `<` and `>`, but not `&` and `'`.
  const source = href.replace(/[&"'<>]/g, (sign) => `&#${sign.codePointAt(0)};`);
  if (kind === "image") return `<img src="${source}" alt="Remote image">`;
  return `<${kind} src="${source}" controls preload="metadata"></${kind}>`;
}
