// Suites and values with which a third party's dialect can be tested as Koine's own are.
export type { MessageConformanceOptions } from "./conformance.ts";
export { messageConformance } from "./conformance.ts";
export type { ConformanceCase } from "./demand.ts";
export { gallery } from "./gallery.ts";
export { silentLosses } from "./oracle.ts";
export type { Place } from "./places.ts";
export type { Sample } from "./samples.ts";
