// Hook that shows only the beginning of a very long text. When the user requests the rest, it is added in steps, so
// that the page stays responsive.
import { useEffect, useState } from "react";
import { findCut } from "./text-chunks.ts";

/** Initially shown length, in characters. */
const INITIAL_LENGTH = 60_000;
/** Number of characters that are added in each step after the user has requested the rest. */
const STEP_LENGTH = 60_000;
/**
 * A text that exceeds the limit (`maxLength`) by no more than this factor is shown completely, because hiding a short
 * rest is useless.
 */
const SLACK = 1.25;

export interface PartialText {
  /** The shown part of the text. */
  text: string;
  /** Number of characters that are not shown; 0 if the text is complete. */
  hiddenLength: number;
  /** True while the rest of the text is being added in steps. */
  isAdding: boolean;
  showAll: () => void;
}

/** Returns the shown part of a text. A growing text is shown completely, because the user reads its end. */
export function usePartialText(text: string, growing: boolean): PartialText {
  const [maxLength, setMost] = useState(growing ? Infinity : INITIAL_LENGTH);
  const [all, setAll] = useState(false);
  const end = findPartialEnd(text, maxLength);
  useEffect(() => {
    if (!all || end >= text.length) return;
    const timer = setTimeout(() => setMost(end + STEP_LENGTH), 0);
    return () => clearTimeout(timer);
  }, [all, end, text.length]);
  return {
    text: end >= text.length ? text : text.slice(0, end),
    hiddenLength: text.length - end,
    isAdding: all && end < text.length,
    showAll: () => setAll(true),
  };
}

/** Returns the offset at which the shown part ends; the end of a line if there is one shortly before `maxLength`. */
export function findPartialEnd(text: string, maxLength: number): number {
  if (text.length <= maxLength * SLACK) return text.length;
  const line = text.lastIndexOf("\n", maxLength);
  return line > maxLength * 0.8 ? line + 1 : findCut(text, maxLength);
}
