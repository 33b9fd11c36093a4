// Providers: from what a caller writes down to what can be asked.
export { providersFromEnv } from "./from-env.ts";
export { linkOf } from "./link.ts";
export type { PresetName } from "./presets.ts";
export { presets } from "./presets.ts";
export { resolveModel } from "./resolve.ts";
