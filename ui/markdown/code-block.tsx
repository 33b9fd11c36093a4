// Shows a code block with its language, a copy button and asynchronous syntax highlighting.
import { memo, type ReactNode, useEffect, useMemo, useState } from "react";
import { CopyButton } from "../kit/index.ts";
import { escapeInvisible } from "./safe-url.ts";
import styles from "./code.module.css";
import { canHighlight, MAX_HIGHLIGHTED_LENGTH, splitSegments } from "./code-segments.ts";
import type { HighlightSpan } from "./highlight.ts";

export interface CodeBlockProps {
  text: string;
  /** Language as written in the message; "" if the message states none. */
  language: string;
  /** True while the code is still streaming. */
  growing?: boolean;
  /** Caption that is shown instead of the language; undefined to show the language. */
  label?: string | undefined;
  /** True to limit the height, so that longer code scrolls. */
  isLow?: boolean;
}

export const CodeBlock = memo(function CodeBlock({
  text,
  language,
  growing = false,
  label,
  isLow: low = false,
}: CodeBlockProps) {
  const [wrap, setWrap] = useState(false);
  const name = label ?? (language === "" ? "Code" : escapeInvisible(language, 40));
  const segments = useMemo(() => splitSegments(text), [text]);
  const isHighlighted = useMemo(
    () => language !== "" && (growing ? text.length <= MAX_HIGHLIGHTED_LENGTH : canHighlight(text)),
    [text, language, growing],
  );
  return (
    <figure className={styles["figure"]} data-low={low}>
      <figcaption className={styles["caption"]}>
        <span className={styles["name"]}>{name}</span>
        <button type="button" aria-pressed={wrap} className={styles["wrap"]} onClick={() => setWrap(!wrap)}>
          Wrap
        </button>
        <CopyButton text={text} label={`Copy ${label?.toLowerCase() ?? "code"}`} />
      </figcaption>
      {/* The code is focusable, so that it can be scrolled by keyboard. */}
      {/* oxlint-disable-next-line jsx-a11y/no-noninteractive-tabindex */}
      <pre className={styles["pre"]} data-wrap={wrap} tabIndex={0} role="group" aria-label={name}>
        <code>
          {segments.map((segment, index) => {
            const last = index === segments.length - 1;
            // The index is a safe key, because segments are only appended and never reordered.
            return (
              <CodeSegment
                key={index}
                text={segment}
                language={isHighlighted ? language : ""}
                growing={growing && last}
              />
            );
          })}
        </code>
      </pre>
    </figure>
  );
});

interface CodeSegmentProps {
  text: string;
  language: string;
  growing: boolean;
}

/**
 * While code streams, it is highlighted again only after it has grown by this factor and by `REPAINT_MIN_CHARACTERS`.
 */
const REPAINT_GROWTH = 1.3;
const REPAINT_MIN_CHARACTERS = 200;

const CodeSegment = memo(function Segment({ text, language, growing }: CodeSegmentProps) {
  const [highlighted, setHighlighted] = useState<{ text: string; spans: readonly HighlightSpan[] }>();
  const shouldRepaint =
    !growing || text.length > (highlighted?.text.length ?? 0) * REPAINT_GROWTH + REPAINT_MIN_CHARACTERS;
  const textToHighlight = language !== "" && shouldRepaint && highlighted?.text !== text ? text : undefined;
  useEffect(() => {
    if (textToHighlight === undefined) return;
    let current = true;
    const paint = async (): Promise<void> => {
      const { highlight } = await import("./highlight.ts");
      const spans = current ? highlight(textToHighlight, language) : undefined;
      if (spans !== undefined) setHighlighted({ text: textToHighlight, spans });
    };
    void paint().catch(() => undefined);
    return () => {
      current = false;
    };
  }, [textToHighlight, language]);
  const fits = highlighted !== undefined && text.startsWith(highlighted.text);
  return (
    <span className={styles["segment"]}>
      {fits && <HighlightedCode stretches={highlighted.spans} />}
      {fits ? text.slice(highlighted.text.length) : text}
    </span>
  );
});

const HighlightedCode = memo(function Painted({
  stretches: spans,
}: {
  stretches: readonly HighlightSpan[];
}): ReactNode {
  return spans.map(({ kind, text }, index) => {
    const className = styles[kind];
    return className === undefined ? (
      text
    ) : (
      <span key={index} className={className}>
        {text}
      </span>
    );
  });
});
