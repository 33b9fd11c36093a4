// Renders Markdown text, complete or streaming.
import type { Annotation } from "koine";
import { memo, useEffect, useMemo, useRef, useState } from "react";
import { BlockGroup, Blocks } from "./blocks.tsx";
import styles from "./blocks.module.css";
import { collectCitations, normalizePositions } from "./citations.ts";
import {
  parseGrowing,
  GROUP_SIZE,
  type ParsedMarkdown,
  normalizeNewlines,
  parseComplete,
} from "./incremental-parse.ts";
import { SourcesContext } from "./link.tsx";
import { ShowAllButton } from "./show-all-button.tsx";
import { placeCitations } from "./place-citations.ts";
import { usePartialText } from "./use-partial-text.ts";

export interface MarkdownProps {
  text: string;
  /** True while the text is still streaming; then each text continues the previous one. */
  streaming?: boolean | undefined;
  annotations?: readonly Annotation[] | undefined;
}

export const Markdown = memo(function Markdown({ text, streaming = false, annotations }: MarkdownProps) {
  const citations = useMemo(() => collectCitations(text, annotations), [text, annotations]);
  // Blocks that were rendered while the text streamed have a known size, so the CSS property `content-visibility` can
  // skip them when they are off screen.
  const [streamed] = useState(streaming);
  const shown = usePartialText(normalizeNewlines(text), streaming);
  const parsed = useParsedMarkdown(shown.text, streaming);
  const positions = useMemo(() => normalizePositions(text, citations.positions), [text, citations]);
  const { settled, tail } = useMemo(() => placeCitations(parsed, positions), [parsed, positions]);
  const { unparsed } = parsed;
  return (
    <SourcesContext value={citations.sources}>
      <div className={styles["markdown"]}>
        {settled.map((tokens, index) => (
          <div key={index} className={styles["group"]} data-known={streamed && tokens.length === GROUP_SIZE}>
            <BlockGroup tokens={tokens} />
          </div>
        ))}
        <Blocks tokens={tail} growing={streaming} />
        {unparsed !== "" && <p className={styles["raw"]}>{unparsed}</p>}
        <ShowAllButton shown={shown} />
      </div>
    </SourcesContext>
  );
});

/**
 * Parses the text, starting from the result of the last render that React committed. A render that React discards does
 * not change that result.
 */
function useParsedMarkdown(text: string, growing: boolean): ParsedMarkdown {
  const last = useRef<ParsedMarkdown>(undefined);
  const parsed = useMemo(
    () => (growing ? parseGrowing(last.current, text) : parseComplete(text, last.current)),
    [text, growing],
  );
  useEffect(() => void (last.current = parsed), [parsed]);
  return parsed;
}
