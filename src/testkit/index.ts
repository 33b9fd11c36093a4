// Public entry `koine/testkit`: conformance suites for dialects and stores, canonical sample values, a replay server.
export type { MessageConformanceOptions } from "./conformance/message-conformance.ts";
export { messageConformance } from "./conformance/message-conformance.ts";
export type { ConformanceCase } from "./conformance-case.ts";
export type { ErrorConformanceOptions } from "./conformance/error-conformance.ts";
export { errorConformance } from "./conformance/error-conformance.ts";
export type {
  RequestConformanceOptions,
  ResponseConformanceOptions,
} from "./conformance/request-response-conformance.ts";
export { requestConformance, responseConformance } from "./conformance/request-response-conformance.ts";
export type { NamedValue, WireSample } from "./checks/payload-codec.ts";
export { canonicalRequests } from "./samples/canonical-requests.ts";
export { canonicalResponses } from "./samples/canonical-responses.ts";
export { canonicalMessages } from "./samples/canonical-messages.ts";
export { silentLosses } from "./oracle/silent-losses.ts";
export type { PairConformanceOptions } from "./conformance/pair-conformance.ts";
export { pairConformance } from "./conformance/pair-conformance.ts";
export type { JsonNode } from "./json/json-nodes.ts";
export { cutRandomly, seededRandom } from "./random-cuts.ts";
export type { ReceivedRequest, ReplayServer, Reply, ReplyCut, Responder, Routes } from "./replay-server.ts";
export { replayServer } from "./replay-server.ts";
export type { MessageSample } from "./checks/message-samples.ts";
export { sampledLosses } from "./oracle/sampled-losses.ts";
export type { StreamConformanceOptions } from "./conformance/stream-conformance.ts";
export { streamConformance } from "./conformance/stream-conformance.ts";
export type { StreamSample } from "./checks/stream-samples.ts";
export type { StreamException } from "./checks/streamed-equals-whole.ts";
export type { StoreConformanceCase, StoreConformanceOptions } from "./conformance/store-conformance.ts";
export { storeConformance } from "./conformance/store-conformance.ts";
