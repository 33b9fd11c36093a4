// Shows the reasoning of a model, folded. Reasoning without text is shown as one line.
import type { ReasoningPart } from "koine";
import { Icon, Spinner } from "../kit/index.ts";
import { Markdown } from "../markdown/markdown.tsx";
import { LazyFold } from "./lazy-fold.tsx";
import styles from "./message.module.css";
import { readLastLine, describeSeals } from "./message-labels.ts";

export function Reasoning({ part, streaming }: { part: ReasoningPart; streaming: boolean }) {
  const texts = [...(part.summary ?? []), part.text].filter((text) => text !== "");
  const sealed = describeSeals(part.seals);
  const label = (
    <>
      {streaming ? <Spinner /> : <Icon name="brain" size={16} />}
      <span>{streaming ? "Thinking" : "Reasoning"}</span>
      {sealed !== undefined && <span className={styles["aside"]}>{sealed}</span>}
      {streaming && <span className={styles["ticker"]}>{readLastLine(texts.at(-1) ?? "")}</span>}
    </>
  );
  if (texts.length === 0) {
    const note = sealed === undefined ? "the provider sent no text" : "only the provider can read it";
    return (
      <p className={styles["sealed"]}>
        {label}
        {!streaming && <span className={styles["aside"]}>{note}</span>}
      </p>
    );
  }
  return (
    <LazyFold summary={label} className={styles["reasoning"]}>
      {() => (
        <div className={styles["reasoningBody"]}>
          {texts.map((text, index) => (
            <Markdown key={index} text={text} streaming={streaming && index === texts.length - 1} />
          ))}
        </div>
      )}
    </LazyFold>
  );
}
