// Reads the configuration of telemetry from the settings or, without settings, from OpenTelemetry's environment
// variables.
import { decodePercent } from "./decode-percent.ts";
import type { ConfigFile } from "./file-settings.ts";
import type { Mistakes } from "./mistakes.ts";
import type { ServerConfig } from "./types.ts";
import type { ConfigEnv } from "./variables.ts";

type TelemetryConfig = NonNullable<ServerConfig["telemetry"]>;

const TRACES_PATH = "/v1/traces";

export function readTelemetry(
  settings: ConfigFile["telemetry"],
  env: ConfigEnv,
  mistakes: Mistakes,
): TelemetryConfig | undefined {
  if (settings === false || (settings === undefined && isOff(env))) return undefined;
  const serviceName = env["OTEL_SERVICE_NAME"] || "koine";
  if (settings !== undefined) {
    const { url, headers = {}, serviceName: own = serviceName } = settings;
    // The URL is undefined if it was invalid or missing; the mistake was added when the settings were read.
    return url === undefined ? undefined : { url: withPath(url), headers, serviceName: own };
  }
  const url = readEndpoint(env, mistakes);
  return url === undefined ? undefined : { url, headers: readTelemetryHeaders(env, mistakes), serviceName };
}

function isOff(env: ConfigEnv): boolean {
  return env["OTEL_SDK_DISABLED"]?.toLowerCase() === "true" || env["OTEL_TRACES_EXPORTER"] === "none";
}

/**
 * Returns the URL for traces; undefined if no variable has a valid URL. The variable for traces is used unchanged; the
 * general variable has a base URL, to which the path is added. Adds a mistake if the URL is invalid.
 */
function readEndpoint(env: ConfigEnv, mistakes: Mistakes): string | undefined {
  for (const name of ["OTEL_EXPORTER_OTLP_TRACES_ENDPOINT", "OTEL_EXPORTER_OTLP_ENDPOINT"]) {
    const value = env[name]?.trim();
    if (value === undefined || value === "") continue;
    if (URL.canParse(value) && /^https?:$/.test(new URL(value).protocol)) {
      return name.includes("TRACES") ? value : withPath(value);
    }
    mistakes.add(name, "must be a URL that begins with https:// or http://.");
    return undefined;
  }
  return undefined;
}

function withPath(base: string): string {
  const trimmed = base.replace(/\/+$/, "");
  return trimmed.endsWith(TRACES_PATH) ? trimmed : trimmed + TRACES_PATH;
}

/** Returns the headers of the variables, which have the format `name=value,name=value` with percent-encoded values. */
function readTelemetryHeaders(env: ConfigEnv, mistakes: Mistakes): Record<string, string> {
  const headers: Record<string, string> = {};
  for (const name of ["OTEL_EXPORTER_OTLP_HEADERS", "OTEL_EXPORTER_OTLP_TRACES_HEADERS"]) {
    for (const pair of (env[name] ?? "").split(",").filter((each) => each.trim() !== "")) {
      const equals = pair.indexOf("=");
      const value = decodePercent(pair.slice(equals + 1).trim());
      if (equals < 1 || value === undefined) mistakes.add(name, 'must be a list such as "name=value,name=value".');
      else headers[pair.slice(0, equals).trim().toLowerCase()] = value;
    }
  }
  return headers;
}
