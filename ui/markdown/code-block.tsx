// Code with its language, a way to copy it, and colours that come when they are ready.
import { memo, type ReactNode, useEffect, useMemo, useState } from "react";
import { CopyButton } from "../kit/index.ts";
import { visible } from "./address.ts";
import styles from "./code.module.css";
import { isColourable, MAX_COLOURED, segmentsOf } from "./code-segments.ts";
import type { Stretch } from "./highlight.ts";

export interface CodeBlockProps {
  text: string;
  /** As its author named it; "" where nobody did. */
  language: string;
  growing?: boolean;
  /** What it is, instead of its language. */
  label?: string | undefined;
  /** Not higher than this; it scrolls. */
  low?: boolean;
}

export const CodeBlock = memo(function CodeBlock({
  text,
  language,
  growing = false,
  label,
  low = false,
}: CodeBlockProps) {
  const [wrap, setWrap] = useState(false);
  const name = label ?? (language === "" ? "Code" : visible(language, 40));
  const segments = useMemo(() => segmentsOf(text), [text]);
  const coloured = useMemo(
    () => language !== "" && (growing ? text.length <= MAX_COLOURED : isColourable(text)),
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
      {/* It scrolls by itself, also by keys. */}
      {/* oxlint-disable-next-line jsx-a11y/no-noninteractive-tabindex */}
      <pre className={styles["pre"]} data-wrap={wrap} tabIndex={0} role="group" aria-label={name}>
        <code>
          {segments.map((segment, index) => {
            const last = index === segments.length - 1;
            // Segments are only ever added.
            return <Segment key={index} text={segment} language={coloured ? language : ""} growing={growing && last} />;
          })}
        </code>
      </pre>
    </figure>
  );
});

interface SegmentProps {
  text: string;
  language: string;
  growing: boolean;
}

/** While it grows, it is coloured again only when it has become longer by a part of itself. */
const PART = 1.3;
const SHORT = 200;

const Segment = memo(function Segment({ text, language, growing }: SegmentProps) {
  const [painted, setPainted] = useState<{ text: string; stretches: readonly Stretch[] }>();
  const enough = !growing || text.length > (painted?.text.length ?? 0) * PART + SHORT;
  const wanted = language !== "" && enough && painted?.text !== text ? text : undefined;
  useEffect(() => {
    if (wanted === undefined) return;
    let current = true;
    const paint = async (): Promise<void> => {
      const { highlight } = await import("./highlight.ts");
      const stretches = current ? highlight(wanted, language) : undefined;
      if (stretches !== undefined) setPainted({ text: wanted, stretches });
    };
    void paint().catch(() => undefined);
    return () => {
      current = false;
    };
  }, [wanted, language]);
  const fits = painted !== undefined && text.startsWith(painted.text);
  return (
    <span className={styles["segment"]}>
      {fits && <Painted stretches={painted.stretches} />}
      {fits ? text.slice(painted.text.length) : text}
    </span>
  );
});

const Painted = memo(function Painted({ stretches }: { stretches: readonly Stretch[] }): ReactNode {
  return stretches.map(({ kind, text }, index) => {
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
