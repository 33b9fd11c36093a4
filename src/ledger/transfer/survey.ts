// What a message's row says of itself: whether it can be read, and which blobs it needs.
import { markerOf, namedBlobs } from "../blobs/index.ts";
import { decodeRow } from "../body.ts";
import type { MessageRow } from "../rows.ts";

export interface RowSurvey {
  /** The blobs that the message holds or names; none where it cannot be read. */
  blobs: string[];
  /** Why it cannot be read. */
  fault?: string;
}

export function surveyRow(row: MessageRow): RowSurvey {
  try {
    const message = decodeRow(row);
    const held = markerOf(message)?.strings.map(({ blob }) => blob) ?? [];
    return { blobs: [...new Set([...held, ...namedBlobs(message)])] };
  } catch (error) {
    return { blobs: [], fault: error instanceof Error ? error.message : String(error) };
  }
}
