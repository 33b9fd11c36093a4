// A request as code to paste: for a shell, and for every SDK that this server speaks to.
import { useEffect, useState } from "react";
import { useApi, useModels } from "../data/hooks.ts";
import { DEMO } from "../data/models.ts";
import { tallyOf, tallyWords } from "../json/marks.ts";
import { CopyButton, Dialog, Disclosure, Icon, Spinner, Tabs } from "../kit/index.ts";
import type { Translation } from "../translate/use-translator.ts";
import type { Code } from "../translate/types.ts";
import styles from "./inspect-view.module.css";
import { LossList } from "./loss-list.tsx";
import type { LoadedSubject } from "./use-subject.ts";

export interface CodeDialogProps {
  translation: Translation;
  /** In which the call was made. */
  dialect: string;
  /** What the code is of, where it is not what is shown, as it is loaded. */
  whole?: LoadedSubject;
  onClose: () => void;
}

export function CodeDialog({ translation: { translator, state }, dialect, whole, onClose }: CodeDialogProps) {
  const api = useApi();
  const models = useModels();
  const { codes, codeFailure, reading } = state;
  const model = reading?.model ?? "";
  const known = models.map(({ id }) => id);
  const first = model === "" ? (known.includes(DEMO) ? DEMO : (known[0] ?? DEMO)) : model;
  const [chosen, choose] = useState(first);
  const [tab, setTab] = useState(() => formOf(dialect));
  const token = api.token.get() !== undefined;
  const source = whole?.source;
  const isLoaded = whole === undefined || source !== undefined;
  // Also when something else was read meanwhile: the conversation has gone on.
  useEffect(() => {
    if (reading === undefined || !isLoaded) return;
    translator.askForCode({ origin: location.origin, model: chosen, token }, source);
  }, [translator, chosen, token, reading, isLoaded, source]);
  const written = isLoaded ? codes : undefined;
  const failure = whole?.failure ?? codeFailure;
  const shown = written?.find(({ id }) => id === tab);
  return (
    <Dialog open wide title="Ask it again, as code" onClose={onClose}>
      <label className={styles["model"]}>
        Model
        <select value={chosen} onChange={({ target }) => choose(target.value)}>
          {[...new Set([first, ...known])].map((id) => (
            <option key={id}>{id}</option>
          ))}
        </select>
      </label>
      {failure !== undefined && <p role="alert">{failure}</p>}
      {failure === undefined && written === undefined && <Spinner label="Writing code" />}
      {failure === undefined && written?.length === 0 && <p>There is nothing in it that could be asked of a model.</p>}
      {written !== undefined && written.length > 0 && (
        <Tabs
          label="SDK"
          tabs={written.map(({ id, title }) => ({ id, label: title }))}
          selected={tab}
          onSelect={setTab}
        >
          {shown !== undefined && <CodePanel code={shown} token={token} />}
        </Tabs>
      )}
    </Dialog>
  );
}

/** The form that says what was said in a dialect; where there is none, what everybody has. */
function formOf(dialect: string): string {
  if (dialect.startsWith("ai-sdk")) return "ai";
  return FORMS_OF_DIALECTS.has(dialect) ? dialect : "curl";
}

const FORMS_OF_DIALECTS: ReadonlySet<string> = new Set(["openai-chat", "openai-responses", "anthropic", "gemini"]);

/** What the code does not say, above it: whoever copies it is to know. */
function Unsaid({ losses, remarks }: Pick<Code, "losses" | "remarks">) {
  const grave = losses.filter(({ level }) => level !== "note");
  const notes = losses.filter(({ level }) => level === "note");
  return (
    <>
      {grave.length > 0 && (
        <section aria-label="What this code does not say" className={styles["unsaid"]}>
          <h3>
            <Icon name="warning" size={16} />
            What this code does not say
          </h3>
          <LossList losses={grave} />
        </section>
      )}
      {remarks.map((remark) => (
        <p key={remark} className={styles["hint"]}>
          {remark}
        </p>
      ))}
      {notes.length > 0 && (
        <Disclosure summary={tallyWords(tallyOf(notes))}>
          <LossList losses={notes} />
        </Disclosure>
      )}
    </>
  );
}

/** More than this is copied, but not drawn. */
const SHOWN = 20_000;

function CodePanel({
  code: { title, install, text, losses, remarks, failure },
  token,
}: {
  code: Code;
  token: boolean;
}) {
  if (failure !== undefined) return <p>{failure}</p>;
  return (
    <>
      <Unsaid losses={losses} remarks={remarks} />
      <div className={styles["code"]}>
        <CopyButton text={text} label={`Copy ${title}`} words />
        <pre tabIndex={0} aria-label={`Code for ${title}`}>
          <code>{text.slice(0, SHOWN)}</code>
          {text.length > SHOWN && `\n… ${(text.length - SHOWN).toLocaleString("en")} more characters are copied.`}
        </pre>
      </div>
      {install !== "" && (
        <p className={styles["hint"]}>
          Needs <code>{install}</code>
        </p>
      )}
      {token && (
        <p className={styles["hint"]}>
          The token is read from <code>KOINE_TOKEN</code>.
        </p>
      )}
    </>
  );
}
