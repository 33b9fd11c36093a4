// Shows text of users and tools as written, because it is not Markdown; fenced code is shown as code blocks.
import { useMemo } from "react";
import { CodeBlock } from "../markdown/code-block.tsx";
import { ShowAllButton } from "../markdown/show-all-button.tsx";
import { usePartialText } from "../markdown/use-partial-text.ts";
import { splitCodeFences } from "./plain-segments.ts";
import styles from "./message.module.css";

export function PlainText({ text, streaming = false }: { text: string; streaming?: boolean }) {
  const shown = usePartialText(text, streaming);
  const segments = useMemo(() => splitCodeFences(shown.text), [shown.text]);
  return (
    <div className={styles["plain"]}>
      {segments.map(({ kind, text: segmentText, language }, index) =>
        kind === "code" ? (
          <CodeBlock key={index} text={segmentText} language={language} />
        ) : (
          <p key={index} className={styles["words"]}>
            {segmentText}
          </p>
        ),
      )}
      <ShowAllButton shown={shown} />
    </div>
  );
}
