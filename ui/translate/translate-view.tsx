// The translator: any payload in, every dialect out, with what is lost. It all happens in this browser.
import { useEffect, useRef } from "react";
import { Spinner } from "../kit/index.ts";
import { Columns } from "./columns.tsx";
import { ExampleCards } from "./example-cards.tsx";
import { offsetOf } from "./excerpt.ts";
import { PayloadInput } from "./payload-input.tsx";
import { ReadFailureView } from "./read-failure.tsx";
import { Doubts, ReadingChoice } from "./reading-choice.tsx";
import styles from "./translate-view.module.css";
import { usePayload } from "./use-payload.ts";
import { useTranslator } from "./use-translator.ts";

export function TranslateView() {
  const translation = useTranslator();
  const { translator, state } = translation;
  const { held, wanted, subject, source, hold, want } = usePayload();
  const field = useRef<HTMLTextAreaElement>(null);
  useEffect(() => translator.setSource(source, String(subject)), [translator, source, subject]);
  const text = typeof held?.content === "string" ? held.content : undefined;
  const go = (line: number, column: number): void => {
    const at = offsetOf(text ?? "", line, column);
    field.current?.focus();
    field.current?.setSelectionRange(at, at + 1);
  };
  const { reading, failure } = state;
  return (
    <div className={styles["view"]} data-full={reading !== undefined}>
      <header className={styles["top"]}>
        <h1>Translate</h1>
        <p>Any provider’s payload, in the words of all others. It stays in this browser: nothing is sent.</p>
      </header>
      <PayloadInput ref={field} held={held} onChange={hold}>
        {held !== undefined && <ReadingChoice reading={reading} wanted={wanted} onChange={want} />}
      </PayloadInput>
      {held === undefined && <ExampleCards onChoose={(content) => hold({ content })} />}
      {reading !== undefined && <Doubts reading={reading} />}
      {state.status === "reading" && reading === undefined && (
        <p className={styles["wait"]}>
          <Spinner label="Reading" />
        </p>
      )}
      {failure !== undefined && (
        <ReadFailureView failure={failure} text={text} onGo={text === undefined ? undefined : go} />
      )}
      {reading !== undefined && <Columns translation={translation} reading={reading} subject={subject} />}
    </div>
  );
}
