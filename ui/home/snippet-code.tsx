// Shows a code snippet with a copy button and highlighted lines.
import { CopyButton } from "../kit/index.ts";
import styles from "./home.module.css";

export interface SnippetCodeProps {
  code: string;
  label: string;
  /** Lines that contain this text are highlighted. */
  highlight: string;
}

export function SnippetCode({ code, label, highlight }: SnippetCodeProps) {
  let at = 0;
  return (
    <div className={styles["code"]}>
      <CopyButton text={code} label="Copy the code" className={styles["copy"]} />
      <pre tabIndex={0} aria-label={label}>
        <code>
          {code.split(/(?<=\n)/).map((line) => {
            const key = at;
            at += line.length;
            return line.includes(highlight) ? <em key={key}>{line}</em> : line;
          })}
        </code>
      </pre>
    </div>
  );
}
