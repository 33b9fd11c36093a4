// What a message's row says of itself: whether it can be read, and which blobs it needs.
import { markerOf, misplacedIn, namedBlobs } from "../blobs/index.ts";
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
    const marker = markerOf(message);
    const held = marker?.strings.map(({ blob }) => blob) ?? [];
    const survey: RowSurvey = { blobs: [...new Set([...held, ...namedBlobs(message)])] };
    const fault = marker && misplacedIn(message, marker);
    if (fault !== undefined) survey.fault = fault;
    return survey;
  } catch (error) {
    return { blobs: [], fault: error instanceof Error ? error.message : String(error) };
  }
}
