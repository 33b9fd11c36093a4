// Blobs: long strings of messages and bytes by themselves, stored once per tenant and content.
export { beginningOf } from "./beginning.ts";
export type { TakenString } from "./marker.ts";
export { isReference, markerOf, misplacedIn, needsBlobs, placeOf } from "./marker.ts";
export { namedBlobs, pathOfBlob } from "./media.ts";
export type { BlobMode } from "./restore.ts";
export { restoreBlobs } from "./restore.ts";
export type { LightMessage } from "./store.ts";
export { holdBlobs, takeBlobs } from "./store.ts";
export { faultOf, isThere, putBlob, readBlob, storeStream } from "./upload.ts";
export { textOf } from "./text.ts";
