// Shows the translator: decodes any payload in the browser, and shows it in every dialect with its losses.
import { useEffect, useRef } from "react";
import { Spinner } from "../kit/index.ts";
import { Columns } from "./columns.tsx";
import { ExampleCards } from "./example-cards.tsx";
import { toOffset } from "./excerpt.ts";
import { PayloadInput } from "./payload-input.tsx";
import { ReadFailureView } from "./read-failure.tsx";
import { DetectionRemarks, DetectionChoice } from "./detection-choice.tsx";
import styles from "./translate-view.module.css";
import { usePayload } from "./use-payload.ts";
import { useTranslator } from "./use-translator.ts";

export function TranslateView() {
  const translation = useTranslator();
  const { translator, state } = translation;
  const { payload, override, payloadNumber, source, setPayload, setOverride } = usePayload();
  const field = useRef<HTMLTextAreaElement>(null);
  useEffect(() => translator.setSource(source, String(payloadNumber)), [translator, source, payloadNumber]);
  const text = typeof payload?.content === "string" ? payload.content : undefined;
  const go = (line: number, column: number): void => {
    const at = toOffset(text ?? "", line, column);
    field.current?.focus();
    field.current?.setSelectionRange(at, at + 1);
  };
  const { reading, failure } = state;
  return (
    <div className={styles["view"]} data-full={reading !== undefined}>
      <header className={styles["top"]}>
        <h1>Translate</h1>
        <p>
          Shows the payload of any provider in the formats of all others. It stays in this browser: nothing is sent.
        </p>
      </header>
      <PayloadInput ref={field} payload={payload} onChange={setPayload}>
        {payload !== undefined && <DetectionChoice reading={reading} override={override} onChange={setOverride} />}
      </PayloadInput>
      {payload === undefined && <ExampleCards onChoose={(content) => setPayload({ content })} />}
      {reading !== undefined && <DetectionRemarks reading={reading} />}
      {state.status === "reading" && reading === undefined && (
        <p className={styles["wait"]}>
          <Spinner label="Reading" />
        </p>
      )}
      {failure !== undefined && (
        <ReadFailureView failure={failure} text={text} onGoTo={text === undefined ? undefined : go} />
      )}
      {reading !== undefined && <Columns translation={translation} reading={reading} subject={payloadNumber} />}
    </div>
  );
}
