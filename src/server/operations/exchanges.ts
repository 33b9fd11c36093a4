// What is counted and logged of every exchange with a client, and of every attempt at a provider.
import type { Attempt } from "../../client/index.ts";
import type { ServerConfig } from "../config/types.ts";
import type { Outcome } from "../http/front.ts";
import type { Logger } from "./log.ts";
import type { Labels, Metrics } from "./metrics.ts";
import { keptLabels } from "./kept-labels.ts";

/** Hears of exchanges. A line for each; those that failed inside say why. */
export function exchangeTeller(
  metrics: Metrics,
  log: Logger,
  level: ServerConfig["log"]["level"],
): (outcome: Outcome) => void {
  const isLogged = level === "debug" || level === "info";
  const requests = metrics.counter("koine_requests_total", "Requests by route and status.");
  const durations = metrics.histogram("koine_request_seconds", "From a request's arrival to the end of its reply.");
  const streams = metrics.counter("koine_streams_total", "Streamed replies, and whether they were read to their end.");
  const labelsOf = routeLabels();
  return ({ request, route, caller, status, error, streamed, durationMs, cut }) => {
    const name = route?.operation.id ?? "none";
    const shown = cut && !streamed ? 499 : status;
    const known = labelsOf(name);
    requests.add(1, known.status(shown));
    durations.observe(durationMs / 1000, known.route);
    if (streamed) streams.add(1, cut ? known.cut : known.whole);
    // What a store says of its trouble is told here alone.
    const isFault = error?.code === "internal" || error?.code === "unavailable";
    if (!isLogged && !isFault) return;
    const facts = {
      id: request.id,
      method: request.method,
      // Paths of routes that nobody has could be anything, and long.
      path: request.path.slice(0, 200),
      route: name,
      status: shown,
      ms: Math.round(durationMs * 10) / 10,
      tenant: caller?.tenant,
      scope: caller?.scope,
      code: error?.code,
      cut: cut || undefined,
    };
    if (isFault) log.error("request", facts, error.cause ?? error);
    else log.info("request", facts);
  };
}

interface RouteLabels {
  route: Labels;
  /** Of streams. */
  cut: Labels;
  whole: Labels;
  status(status: number): Labels;
}

/** The very same objects for the same route and status: their text is made once. */
function routeLabels(): (route: string) => RouteLabels {
  const routes = new Map<string, RouteLabels>();
  const make = (route: string): RouteLabels => {
    const statuses = new Map<number, Labels>();
    const status = (code: number): Labels => {
      const labels = statuses.get(code) ?? { route, status: String(code) };
      statuses.set(code, labels);
      return labels;
    };
    const made = { route: { route }, cut: { route, end: "cut" }, whole: { route, end: "whole" }, status };
    routes.set(route, made);
    return made;
  };
  return (route) => routes.get(route) ?? make(route);
}

/** Hears of attempts: how long providers took, and how it ended. */
export function attemptTeller(metrics: Metrics, log: Logger): (attempt: Attempt) => void {
  const attempts = metrics.counter("koine_attempts_total", "Attempts at providers by how they ended.");
  const durations = metrics.histogram("koine_attempt_seconds", "How long attempts at providers took.");
  const ends = keptLabels((provider: string, end: string) => ({ provider, end }));
  const providers = keptLabels((provider: string) => ({ provider }));
  return ({ provider, model, durationMs, status, error, aborted, requestId }) => {
    const end = aborted === true ? "aborted" : (error?.kind ?? "ok");
    attempts.add(1, ends(provider, end));
    durations.observe(durationMs / 1000, providers(provider, ""));
    if (error === undefined) log.debug("attempt", { provider, model, status, ms: durationMs, end });
    else log.warn("attempt", { provider, model, status, ms: durationMs, end, requestId });
  };
}
