// Inspects a message's row: its blobs, and why it cannot be read.
import { readMarker, findMisplacedString, listReferencedBlobs } from "../blobs/index.ts";
import { decodeRow } from "../messages/message-body.ts";
import type { MessageRow } from "../store/rows.ts";

/** The blobs and the fault of a message. */
export interface MessageInspection {
  /** The blobs that the message references; none if it cannot be read. */
  blobs: string[];
  /** The reason why it cannot be read. */
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
