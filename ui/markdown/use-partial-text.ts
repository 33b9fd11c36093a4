// Limits the shown part of a very long text: its beginning first, and on request the rest in steps, so that the page
// stays responsive.
import { useEffect, useState } from "react";
import { findCut } from "./text-chunks.ts";

/** Initially shown length, and the length of a step. */
const INITIAL_LENGTH = 60_000;
const STEP_LENGTH = 60_000;
/** A text that is hardly longer is shown completely. */
const SLACK = 1.25;

export interface PartialText {
  text: string;
  hiddenLength: number;
  /** More text is being added. */
  isAdding: boolean;
  showAll: () => void;
}

/** `growing`: a streaming text is shown completely, because the user reads its end. */
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

/** Prefers the end of a line nearby. */
export function findPartialEnd(text: string, maxLength: number): number {
  if (text.length <= maxLength * SLACK) return text.length;
  const line = text.lastIndexOf("\n", maxLength);
  return line > maxLength * 0.8 ? line + 1 : findCut(text, maxLength);
}
