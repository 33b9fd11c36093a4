// A program to copy, in which the lines are emphasised that make the difference.
import { CopyButton } from "../kit/index.ts";
import styles from "./home.module.css";

export interface CodeBlockProps {
  code: string;
  label: string;
  /** Lines that hold this text are emphasised. */
  emphasised: string;
}

export function CodeBlock({ code, label, emphasised }: CodeBlockProps) {
  let at = 0;
  return (
    <div className={styles["code"]}>
      <CopyButton text={code} label="Copy the program" className={styles["copy"]} />
      <pre tabIndex={0} aria-label={label}>
        <code>
          {code.split(/(?<=\n)/).map((line) => {
            const key = at;
            at += line.length;
            return line.includes(emphasised) ? <em key={key}>{line}</em> : line;
          })}
        </code>
      </pre>
    </div>
  );
}
