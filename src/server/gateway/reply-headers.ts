// Creates the headers of gateway replies: the ids of the recorded thread and run, the provider, the number of losses,
// and forwarded headers of the upstream.
import type { HttpReply } from "../../calls/index.ts";
import { escapeHeader } from "../http/escape-header.ts";
import type { OpenCall } from "./open-call.ts";

export function koineHeaders(open: OpenCall, losses: number): Record<string, string> {
  const provider = escapeHeader(open.targetInfo.provider);
  return { "x-koine-provider": provider, "x-koine-losses": String(losses), ...recordHeaders(open) };
}

/** Returns the headers with the thread id and run id of a recorded call; no headers if the call is not recorded. */
export function recordHeaders({ recording }: Pick<OpenCall, "recording">): Record<string, string> {
  if (recording === undefined) return {};
  return { "x-koine-thread": escapeHeader(recording.threadId), "x-koine-run": recording.runId };
}

/**
 * Matches the names of the upstream's headers that are forwarded: rate limits, and ids and times that the provider's
 * support may ask for.
 */
const FORWARDED =
  /^(?:(?:x|anthropic)-ratelimit-[a-z0-9-]+|openai-(?:processing-ms|version|model)|request-id|retry-after(?:-ms)?)$/;
const REQUEST_ID = "x-request-id";

/**
 * Returns the upstream's headers that are forwarded with the upstream's bytes. The upstream's `x-request-id` is
 * renamed, because the server sends its own request id in this header.
 */
export function upstreamHeaders({ headers }: HttpReply): Record<string, string> {
  const forwarded: Record<string, string> = {};
  for (const name in headers) {
    const value = headers[name];
    if (value === undefined) continue;
    if (FORWARDED.test(name)) forwarded[name] = value;
    else if (name === REQUEST_ID) forwarded["x-koine-upstream-request-id"] = value;
  }
  return forwarded;
}
