// What is to be translated. It is kept in the memory of the tab, and nowhere else, so that whoever looks at another page
// and returns finds it again.
import { useMemo, useState } from "react";
import type { Wanted } from "./reading-choice.tsx";
import type { Source } from "./types.ts";

export interface Held {
  /** Of a file, its name. */
  name?: string;
  content: string | Uint8Array;
  /** A change of what was there, not something else. */
  typed?: true;
}

interface Payload {
  held: Held | undefined;
  /** What the reader says of it. */
  wanted: Wanted;
  /** Counts the payloads: something else has another number, a change of the same has not. */
  subject: number;
}

let kept: Payload = { held: undefined, wanted: {}, subject: 0 };

export interface PayloadState extends Payload {
  source: Source | undefined;
  hold: (held: Held | undefined) => void;
  want: (wanted: Wanted) => void;
}

export function usePayload(): PayloadState {
  const [payload, setPayload] = useState(kept);
  const { held, wanted } = payload;
  const source = useMemo(() => held && { content: held.content, ...wanted }, [held, wanted]);
  const change = (next: Partial<Payload>): void => {
    kept = { ...kept, ...next };
    setPayload(kept);
  };
  return {
    ...payload,
    source,
    // Another payload is looked at without what was said of the last one.
    hold: (next) =>
      change(next?.typed === true ? { held: next } : { held: next, wanted: {}, subject: kept.subject + 1 }),
    want: (next) => change({ wanted: next }),
  };
}
