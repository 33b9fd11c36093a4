// Hook that holds the payload of the translator. The payload is stored only in memory, so it survives navigation within
// the page but not a reload.
import { useMemo, useState } from "react";
import type { DetectionOverride } from "./detection-choice.tsx";
import type { TranslationSource } from "./types.ts";

export interface PayloadContent {
  /** Name of the file; absent for text that was typed or pasted. */
  name?: string;
  content: string | Uint8Array;
  /** Set if the user typed the content; then it is an edited version of the current payload and not another payload. */
  typed?: true;
}

interface PayloadSelection {
  payload: PayloadContent | undefined;
  /** The user's override of the detected dialect and kind. */
  override: DetectionOverride;
  /** Number of the payload; a pasted, dropped or opened payload gets a new number, a typed edit does not. */
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
    // Another payload removes the user's override of dialect and kind; a typed edit of the same payload does not.
    setPayload: (next) =>
      change(
        next?.typed === true
          ? { payload: next }
          : { payload: next, override: {}, payloadNumber: lastSelection.payloadNumber + 1 },
      ),
    setOverride: (next) => change({ override: next }),
  };
}
