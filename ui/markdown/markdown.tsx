// A text in Markdown, as models write it: whole, or as it is being written.
import type { Annotation } from "koine";
import { memo, useEffect, useMemo, useRef, useState } from "react";
import { BlockGroup, Blocks } from "./blocks.tsx";
import styles from "./blocks.module.css";
import { cite, normalisedMarks } from "./citations.ts";
import { grow, GROUP, type Growth, normalised, readAll } from "./grow.ts";
import { Sources } from "./link.tsx";
import { RestOfText } from "./long-text.tsx";
import { placeMarks } from "./marks.ts";
import { useShown } from "./shown.ts";

export interface MarkdownProps {
  text: string;
  /** It is still being written: it only ever becomes longer. */
  streaming?: boolean | undefined;
  annotations?: readonly Annotation[] | undefined;
}

export const Markdown = memo(function Markdown({ text, streaming = false, annotations }: MarkdownProps) {
  const cited = useMemo(() => cite(text, annotations), [text, annotations]);
  // What was written before the reader's eyes has a size that is known, and need not be drawn while it is out of sight.
  const [streamed] = useState(streaming);
  const shown = useShown(normalised(text), streaming);
  const growth = useGrowth(shown.text, streaming);
  const marks = useMemo(() => normalisedMarks(text, cited.marks), [text, cited]);
  const { settled, tail } = useMemo(() => placeMarks(growth, marks), [growth, marks]);
  const { rest } = growth;
  return (
    <Sources value={cited.sources}>
      <div className={styles["markdown"]}>
        {settled.map((tokens, index) => (
          <div key={index} className={styles["group"]} data-known={streamed && tokens.length === GROUP}>
            <BlockGroup tokens={tokens} />
          </div>
        ))}
        <Blocks tokens={tail} growing={streaming} />
        {rest !== "" && <p className={styles["raw"]}>{rest}</p>}
        <RestOfText shown={shown} />
      </div>
    </Sources>
  );
});

/** What was read before is where the next reading begins; a reading that is thrown away only costs its time. */
function useGrowth(text: string, growing: boolean): Growth {
  const last = useRef<Growth>(undefined);
  const growth = useMemo(() => (growing ? grow(last.current, text) : readAll(text, last.current)), [text, growing]);
  useEffect(() => void (last.current = growth), [growth]);
  return growth;
}
