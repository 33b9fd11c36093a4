// Where spans go: what the file says, else OpenTelemetry's usual variables.
import { decoded } from "./decoded.ts";
import type { ConfigFile } from "./file.ts";
import type { Mistakes } from "./mistakes.ts";
import type { ServerConfig } from "./types.ts";
import type { Env } from "./variables.ts";

type Telemetry = NonNullable<ServerConfig["telemetry"]>;

const PATH = "/v1/traces";

export function telemetryOf(described: ConfigFile["telemetry"], env: Env, mistakes: Mistakes): Telemetry | undefined {
  if (described === false || (described === undefined && isOff(env))) return undefined;
  const serviceName = env["OTEL_SERVICE_NAME"] || "koine";
  if (described !== undefined) {
    const { url, headers = {}, serviceName: own = serviceName } = described;
    return { url: withPath(url), headers, serviceName: own };
  }
  const url = urlFrom(env, mistakes);
  return url === undefined ? undefined : { url, headers: headersFrom(env, mistakes), serviceName };
}

function isOff(env: Env): boolean {
  return env["OTEL_SDK_DISABLED"]?.toLowerCase() === "true" || env["OTEL_TRACES_EXPORTER"] === "none";
}

/** The variable for traces is used as it is; the general one is a base. */
function urlFrom(env: Env, mistakes: Mistakes): string | undefined {
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
  return trimmed.endsWith(PATH) ? trimmed : trimmed + PATH;
}

/** `name=value,name=value`, percent-encoded. */
function headersFrom(env: Env, mistakes: Mistakes): Record<string, string> {
  const headers: Record<string, string> = {};
  for (const name of ["OTEL_EXPORTER_OTLP_HEADERS", "OTEL_EXPORTER_OTLP_TRACES_HEADERS"]) {
    for (const pair of (env[name] ?? "").split(",").filter((each) => each.trim() !== "")) {
      const equals = pair.indexOf("=");
      const value = decoded(pair.slice(equals + 1).trim());
      if (equals < 1 || value === undefined)
        mistakes.add(name, 'must be pairs as "name=value", with commas between them.');
      else headers[pair.slice(0, equals).trim().toLowerCase()] = value;
    }
  }
  return headers;
}
