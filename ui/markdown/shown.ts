// How much of a very long text is shown: its beginning, and all of it once the reader asks, a part at a time so that the page
// stays usable meanwhile.
import { useEffect, useState } from "react";
import { cutAt } from "./pieces.ts";

/** Characters that are shown at first, and by which more are added. */
const FIRST = 60_000;
const STEP = 60_000;
/** A text that is hardly longer is shown as a whole. */
const SLACK = 1.25;

export interface Shown {
  text: string;
  /** Characters that are not shown. */
  hidden: number;
  /** More is being added. */
  adding: boolean;
  showAll: () => void;
}

/** `growing`: its end is what a reader waits for, so that all of it is shown. */
export function useShown(text: string, growing: boolean): Shown {
  const [most, setMost] = useState(growing ? Infinity : FIRST);
  const [all, setAll] = useState(false);
  const end = shownEnd(text, most);
  useEffect(() => {
    if (!all || end >= text.length) return;
    const timer = setTimeout(() => setMost(end + STEP), 0);
    return () => clearTimeout(timer);
  }, [all, end, text.length]);
  return {
    text: end >= text.length ? text : text.slice(0, end),
    hidden: text.length - end,
    adding: all && end < text.length,
    showAll: () => setAll(true),
  };
}

/** At the end of a line where one is near. */
export function shownEnd(text: string, most: number): number {
  if (text.length <= most * SLACK) return text.length;
  const line = text.lastIndexOf("\n", most);
  return line > most * 0.8 ? line + 1 : cutAt(text, most);
}
