// The configuration of Koine for the upstreams of the matrix.
import type { ConfigInput } from "../../../src/server/config/config-input.ts";
import type { MatrixUpstreams } from "./matrix-upstreams.ts";

/** All upstreams by name, without retries, so that failures are visible. */
export function providersOf(upstreams: MatrixUpstreams): NonNullable<ConfigInput["providers"]> {
  return Object.fromEntries(
    Object.entries(upstreams.upstreams).map(([name, { config }]) => [name, { ...config, retry: { attempts: 1 } }]),
  );
}
