// Where the deltas of one attempt come from: a reply over HTTP, or a local provider.
import type { OpenAttempt } from "./attempts.ts";
import type { ModelCall, PreparedCall, Target } from "./call.ts";
import type { TargetInfo } from "./facts.ts";
import type { HttpExchange } from "./http.ts";
import { send, streamReply } from "./http.ts";
import { LocalSource } from "./local.ts";
import { Reading } from "./reading.ts";
import { Secrets } from "./secrets.ts";

/** The exchange of an attempt that goes over HTTP. */
export function exchangeOf(
  { session, scope }: ModelCall,
  { link, timeouts }: Target,
  ready: PreparedCall,
  attempt: OpenAttempt,
): HttpExchange | undefined {
  if (link.kind !== "http" || ready.kind !== "http") return undefined;
  const { prepared } = ready;
  return { link, prepared, transport: session.transport(), scope, attempt, timeouts, secrets: new Secrets() };
}

/** Who is asked, and what the request that was made for it has to say about the answer. */
export function askedOf({ asked }: Target, ready: PreparedCall): TargetInfo {
  const facts = ready.kind === "http" ? ready.prepared.facts : undefined;
  return facts === undefined ? asked : { ...asked, facts };
}

/** Asks for deltas. Nothing of the answer has been read yet. */
export async function openReading(
  call: ModelCall,
  target: Target,
  ready: PreparedCall,
  attempt: OpenAttempt,
): Promise<Reading> {
  const { link, asked } = target;
  if (link.kind === "local" && ready.kind === "local") {
    return new Reading(new LocalSource(link.config, ready.request, call.scope, target.timeouts), asked, call.scope);
  }
  const exchange = exchangeOf(call, target, ready, attempt);
  if (exchange === undefined) throw new Error("A request was prepared for a provider of another kind.");
  return new Reading(await streamReply(await send(exchange), exchange), askedOf(target, ready), call.scope);
}
