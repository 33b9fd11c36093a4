// What a model thought, folded: whoever wants to know opens it.
import type { ReasoningPart } from "koine";
import { Icon, Spinner } from "../kit/index.ts";
import { Markdown } from "../markdown/markdown.tsx";
import { LazyFold } from "./lazy-fold.tsx";
import styles from "./message.module.css";
import { lastLine, sealWords } from "./words.ts";

export function Reasoning({ part, streaming }: { part: ReasoningPart; streaming: boolean }) {
  const texts = [...(part.summary ?? []), part.text].filter((text) => text !== "");
  const sealed = sealWords(part.seals);
  const label = (
    <>
      {streaming ? <Spinner /> : <Icon name="brain" size={16} />}
      <span>{streaming ? "Thinking" : "Reasoning"}</span>
      {sealed !== undefined && <span className={styles["aside"]}>{sealed}</span>}
      {streaming && <span className={styles["ticker"]}>{lastLine(texts.at(-1) ?? "")}</span>}
    </>
  );
  if (texts.length === 0) {
    const nothing = sealed === undefined ? "nothing of it was told" : "not readable here";
    return (
      <p className={styles["sealed"]}>
        {label}
        {!streaming && <span className={styles["aside"]}>{nothing}</span>}
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
