// Exports the functions that write and read blobs: long strings of messages and uploaded bytes, stored once per tenant
// and content.
export { readTextPrefix } from "./text-prefix.ts";
export type { ExtractedString } from "./blob-marker.ts";
export { isBlobReference, readMarker, findMisplacedString, needsBlobs, findStringPosition } from "./blob-marker.ts";
export { listReferencedBlobs, findBlobPath } from "./media-parts.ts";
export type { BlobMode } from "./restore-blobs.ts";
export { restoreBlobs } from "./restore-blobs.ts";
export type { MessageWithBlobs } from "./write-blobs.ts";
export { writeBlobs, extractBlobs } from "./write-blobs.ts";
export { findBlobFault, refreshExistingBlob, putBlob, readBlob, storeByteStream } from "./upload.ts";
export { decodeText } from "./text-encoding.ts";
