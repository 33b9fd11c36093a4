// Counts and logs every exchange with a client and every attempt at a provider.
import type { Attempt } from "../../client/index.ts";
import type { ServerConfig } from "../config/types.ts";
import type { ExchangeOutcome } from "../http/exchange.ts";
import type { Logger } from "./log.ts";
import type { Labels, Metrics } from "./metrics.ts";
import { cacheLabels } from "./cached-labels.ts";

/**
 * Returns an observer that counts every exchange and logs it in one line. Internal errors are logged with their cause.
 */
export function createExchangeObserver(
  metrics: Metrics,
  log: Logger,
  level: ServerConfig["log"]["level"],
): (outcome: ExchangeOutcome) => void {
  const isLogged = level === "debug" || level === "info";
  const requests = metrics.counter("koine_requests_total", "Requests by route and status.");
  const durations = metrics.histogram(
    "koine_request_seconds",
    "Duration from the arrival of a request to the end of its reply.",
  );
  const streams = metrics.counter("koine_streams_total", "Streamed replies by their end: whole or cut.");
  const labelsOf = createRouteLabels();
  return ({ request, route, caller, status, error, streamed, durationMs, cut }) => {
    const name = route?.operation.id ?? "none";
    const loggedStatus = cut && !streamed ? 499 : status;
    const known = labelsOf(name);
    requests.add(1, known.status(loggedStatus));
    durations.observe(durationMs / 1000, known.route);
    if (streamed) streams.add(1, cut ? known.cut : known.whole);
    // If the log level is "debug" or "info", every exchange is logged. At "warn" and "error", only faults are logged
    // (internal errors and an unavailable store), because the client does not receive their original messages.
    const isFault = error?.code === "internal" || error?.code === "unavailable";
    if (!isLogged && !isFault) return;
    const fields = {
      id: request.id,
      method: request.method,
      // The path is shortened, because a request to an unknown route may have a path of any length.
      path: request.path.slice(0, 200),
      route: name,
      status: loggedStatus,
      ms: Math.round(durationMs * 10) / 10,
      tenant: caller?.tenant,
      scope: caller?.scope,
      code: error?.code,
      cut: cut || undefined,
    };
    if (isFault) log.error("request", fields, error.cause ?? error);
    else log.info("request", fields);
  };
}

interface RouteLabels {
  route: Labels;
  /** The labels of streamed replies that were interrupted. */
  cut: Labels;
  /** The labels of streamed replies that were complete. */
  whole: Labels;
  status(status: number): Labels;
}

/**
 * Returns a function that returns the labels of a route. The labels are cached, so that their text is formatted once.
 */
function createRouteLabels(): (route: string) => RouteLabels {
  const routes = new Map<string, RouteLabels>();
  const make = (route: string): RouteLabels => {
    const statuses = new Map<number, Labels>();
    const status = (code: number): Labels => {
      const labels = statuses.get(code) ?? { route, status: String(code) };
      statuses.set(code, labels);
      return labels;
    };
    const labels = { route: { route }, cut: { route, end: "cut" }, whole: { route, end: "whole" }, status };
    routes.set(route, labels);
    return labels;
  };
  return (route) => routes.get(route) ?? make(route);
}

/** Returns an observer that counts attempts by their end, measures their duration, and logs them. */
export function createAttemptObserver(metrics: Metrics, log: Logger): (attempt: Attempt) => void {
  const attempts = metrics.counter("koine_attempts_total", "Attempts at providers by their end.");
  const durations = metrics.histogram("koine_attempt_seconds", "Duration of attempts at providers.");
  const ends = cacheLabels((provider: string, end: string) => ({ provider, end }));
  const providers = cacheLabels((provider: string) => ({ provider }));
  return ({ provider, model, durationMs, status, error, aborted, requestId }) => {
    const end = aborted === true ? "aborted" : (error?.kind ?? "ok");
    attempts.add(1, ends(provider, end));
    durations.observe(durationMs / 1000, providers(provider, ""));
    if (error === undefined) log.debug("attempt", { provider, model, status, ms: durationMs, end });
    else log.warn("attempt", { provider, model, status, ms: durationMs, end, requestId });
  };
}
