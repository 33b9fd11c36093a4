// Words as they were written, line for line: what people and programs say is not Markdown.
import { useMemo } from "react";
import { CodeBlock } from "../markdown/code-block.tsx";
import { RestOfText } from "../markdown/long-text.tsx";
import { useShown } from "../markdown/shown.ts";
import { plainSegments } from "./plain-segments.ts";
import styles from "./message.module.css";

export function PlainText({ text, streaming = false }: { text: string; streaming?: boolean }) {
  const shown = useShown(text, streaming);
  const segments = useMemo(() => plainSegments(shown.text), [shown.text]);
  return (
    <div className={styles["plain"]}>
      {segments.map(({ kind, text: words, language }, index) =>
        kind === "code" ? (
          <CodeBlock key={index} text={words} language={language} />
        ) : (
          <p key={index} className={styles["words"]}>
            {words}
          </p>
        ),
      )}
      <RestOfText shown={shown} />
    </div>
  );
}
