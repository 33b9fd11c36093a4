// What replies say beside their bodies: where a call is recorded and who answered it, and what an upstream said that its
// clients look for.
import type { HttpReply } from "../../client/types.ts";
import { headerText } from "../http/header-text.ts";
import type { OpenCall } from "./open-call.ts";

export function koineHeaders({ recording, facts }: OpenCall, losses: number): Record<string, string> {
  const provider = headerText(facts.provider);
  const headers: Record<string, string> = { "x-koine-provider": provider, "x-koine-losses": String(losses) };
  if (recording !== undefined) {
    headers["x-koine-thread"] = headerText(recording.threadId);
    headers["x-koine-run"] = recording.runId;
  }
  return headers;
}

/** Limits that an account has left, and ids and times that a provider's support asks for. */
const PASSED = /^(?:x-ratelimit-|anthropic-|openai-|request-id$|retry-after)/;
const REQUEST_ID = "x-request-id";

/** What goes on of the headers of a reply whose bytes do. Its `x-request-id` gives way to ours, under another name. */
export function upstreamHeaders({ headers }: HttpReply): Record<string, string> {
  const passed: Record<string, string> = {};
  for (const name in headers) {
    const value = headers[name];
    if (value === undefined) continue;
    if (PASSED.test(name)) passed[name] = value;
    else if (name === REQUEST_ID) passed["x-koine-upstream-request-id"] = value;
  }
  return passed;
}
