// Finds the blobs that a message row references, and the reason why a row cannot be read.
import { readMarker, findMisplacedString, listReferencedBlobs } from "../blobs/index.ts";
import { decodeRow } from "../messages/message-body.ts";
import type { MessageRow } from "../store/rows.ts";

/** The blobs and the fault of a message row. */
export interface MessageInspection {
  /** The hashes of the blobs that the message references; empty if the row cannot be decoded. */
  blobs: string[];
  /** The reason why the row cannot be read; absent if it can be read. */
  fault?: string;
}

export function inspectMessage(row: MessageRow): MessageInspection {
  try {
    const message = decodeRow(row);
    const marker = readMarker(message);
    const markerBlobs = marker?.strings.map(({ blob }) => blob) ?? [];
    const inspection: MessageInspection = { blobs: [...new Set([...markerBlobs, ...listReferencedBlobs(message)])] };
    const fault = marker && findMisplacedString(message, marker);
    if (fault !== undefined) inspection.fault = fault;
    return inspection;
  } catch (error) {
    return { blobs: [], fault: error instanceof Error ? error.message : String(error) };
  }
}
