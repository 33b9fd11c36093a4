// What replies say beside their bodies: where a call is recorded and who answered it, and what an upstream said that its
// clients look for.
import type { HttpReply } from "../../client/types.ts";
import { headerText } from "../http/header-text.ts";
import type { OpenCall } from "./open-call.ts";

export function koineHeaders(open: OpenCall, losses: number): Record<string, string> {
  const provider = headerText(open.facts.provider);
  return { "x-koine-provider": provider, "x-koine-losses": String(losses), ...recordHeaders(open) };
}

/** Where the call is recorded. */
export function recordHeaders({ recording }: Pick<OpenCall, "recording">): Record<string, string> {
  if (recording === undefined) return {};
  return { "x-koine-thread": headerText(recording.threadId), "x-koine-run": recording.runId };
}

/** Limits that an account has left, and ids and times that a provider's support asks for. */
const PASSED =
  /^(?:(?:x|anthropic)-ratelimit-[a-z0-9-]+|openai-(?:processing-ms|version|model)|request-id|retry-after(?:-ms)?)$/;
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
