// Suites and values with which a third party's dialect can be tested as Koine's own are.
export type { MessageConformanceOptions } from "./conformance.ts";
export { messageConformance } from "./conformance.ts";
export type { ConformanceCase } from "./demand.ts";
export type { ErrorConformanceOptions } from "./error-conformance.ts";
export { errorConformance } from "./error-conformance.ts";
export type { RequestConformanceOptions, ResponseConformanceOptions } from "./exchange-conformance.ts";
export { requestConformance, responseConformance } from "./exchange-conformance.ts";
export type { Exhibit, WireSample } from "./exchange.ts";
export { requestGallery } from "./gallery-requests.ts";
export { responseGallery } from "./gallery-responses.ts";
export { gallery } from "./gallery.ts";
export { silentLosses } from "./oracle.ts";
export type { PairConformanceOptions } from "./pair-conformance.ts";
export { pairConformance } from "./pair-conformance.ts";
export type { Place } from "./places.ts";
export type { Sample } from "./samples.ts";
export { sampledLosses } from "./sampled.ts";
