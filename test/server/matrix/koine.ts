// How Koine is told of the upstreams of the matrix.
import type { ConfigInput } from "../../../src/server/config/defaults.ts";
import type { World } from "./world.ts";

/** Every upstream under its name, asked once: what fails is seen. */
export function providersOf(world: World): NonNullable<ConfigInput["providers"]> {
  return Object.fromEntries(
    Object.entries(world.upstreams).map(([name, { config }]) => [name, { ...config, retry: { attempts: 1 } }]),
  );
}
