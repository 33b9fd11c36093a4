// The payload of the translator. Kept in memory only, so that it is still there after visiting another view.
import { useMemo, useState } from "react";
import type { DetectionOverride } from "./detection-choice.tsx";
import type { TranslationSource } from "./types.ts";

export interface PayloadContent {
  /** File name. */
  name?: string;
  content: string | Uint8Array;
  /** An edit of the same payload. */
  typed?: true;
}

interface PayloadSelection {
  payload: PayloadContent | undefined;
  /** The user's override of the detected dialect and kind. */
  override: DetectionOverride;
  /** Number of the payload: changes with another payload, not with an edit. */
  payloadNumber: number;
}

let lastSelection: PayloadSelection = { payload: undefined, override: {}, payloadNumber: 0 };

export interface PayloadState extends PayloadSelection {
  source: TranslationSource | undefined;
  setPayload: (payload: PayloadContent | undefined) => void;
  setOverride: (override: DetectionOverride) => void;
}

export function usePayload(): PayloadState {
  const [selection, setSelection] = useState(lastSelection);
  const { payload, override } = selection;
  const source = useMemo(() => payload && { content: payload.content, ...override }, [payload, override]);
  const change = (next: Partial<PayloadSelection>): void => {
    lastSelection = { ...lastSelection, ...next };
    setSelection(lastSelection);
  };
  return {
    ...selection,
    source,
    // The override applies to one payload only.
    setPayload: (next) =>
      change(
        next?.typed === true
          ? { payload: next }
          : { payload: next, override: {}, payloadNumber: lastSelection.payloadNumber + 1 },
      ),
    setOverride: (next) => change({ override: next }),
  };
}
