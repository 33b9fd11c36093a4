// Shows the dialog with a request as code: a curl command, and a program for every supported SDK.
import { useEffect, useState } from "react";
import { useApi, useModels } from "../data/hooks.ts";
import { DEMO_MODEL } from "../data/model-store.ts";
import { countMarks, formatMarkCounts } from "../json/document-marks.ts";
import { CopyButton, Dialog, Disclosure, Icon, Spinner, Tabs } from "../kit/index.ts";
import type { TranslatorHandle } from "../translate/use-translator.ts";
import type { CodeSample } from "../translate/types.ts";
import styles from "./inspect-view.module.css";
import { LossList } from "./loss-list.tsx";
import type { LoadedSubject } from "./use-subject.ts";

export interface CodeDialogProps {
  translation: TranslatorHandle;
  /** Dialect of the recorded call; it selects the tab that is shown first. */
  dialect: string;
  /** The whole conversation, from which the code is generated; undefined if the inspector already shows all of it. */
  wholeConversation?: LoadedSubject;
  onClose: () => void;
}

export function CodeDialog({
  translation: { translator, state },
  dialect,
  wholeConversation,
  onClose,
}: CodeDialogProps) {
  const api = useApi();
  const models = useModels();
  const { codes, codeFailure, reading } = state;
  const model = reading?.model ?? "";
  const modelIds = models.map(({ id }) => id);
  const initialModel =
    model === "" ? (modelIds.includes(DEMO_MODEL) ? DEMO_MODEL : (modelIds[0] ?? DEMO_MODEL)) : model;
  const [selectedModel, setSelectedModel] = useState(initialModel);
  const [tab, setTab] = useState(() => findCodeTarget(dialect));
  const token = api.token.get() !== undefined;
  const source = wholeConversation?.source;
  const isLoaded = wholeConversation === undefined || source !== undefined;
  // Code is requested again whenever `reading` changes, because a new value means that the conversation has grown.
  useEffect(() => {
    if (reading === undefined || !isLoaded) return;
    translator.requestCode({ origin: location.origin, model: selectedModel, token }, source);
  }, [translator, selectedModel, token, reading, isLoaded, source]);
  const loadedCodes = isLoaded ? codes : undefined;
  const failure = wholeConversation?.failure ?? codeFailure;
  const shown = loadedCodes?.find(({ id }) => id === tab);
  return (
    <Dialog open wide title="Request as code" onClose={onClose}>
      <label className={styles["model"]}>
        Model
        <select value={selectedModel} onChange={({ target }) => setSelectedModel(target.value)}>
          {[...new Set([initialModel, ...modelIds])].map((id) => (
            <option key={id}>{id}</option>
          ))}
        </select>
      </label>
      {failure !== undefined && <p role="alert">{failure}</p>}
      {failure === undefined && loadedCodes === undefined && <Spinner label="Generating code" />}
      {failure === undefined && loadedCodes?.length === 0 && <p>It contains no message that a model could answer.</p>}
      {loadedCodes !== undefined && loadedCodes.length > 0 && (
        <Tabs
          label="SDK"
          tabs={loadedCodes.map(({ id, title }) => ({ id, label: title }))}
          selected={tab}
          onSelect={setTab}
        >
          {shown !== undefined && <CodePanel code={shown} token={token} />}
        </Tabs>
      )}
    </Dialog>
  );
}

/** Returns the id of the code tab for a dialect: the SDK of the dialect, or curl if there is no such SDK. */
function findCodeTarget(dialect: string): string {
  if (dialect.startsWith("ai-sdk")) return "ai";
  return DIALECTS_WITH_SDK.has(dialect) ? dialect : "curl";
}

const DIALECTS_WITH_SDK: ReadonlySet<string> = new Set(["openai-chat", "openai-responses", "anthropic", "gemini"]);

/** Shows the losses and remarks of the code. */
function CodeLosses({ losses, remarks }: Pick<CodeSample, "losses" | "remarks">) {
  const severe = losses.filter(({ level }) => level !== "note");
  const notes = losses.filter(({ level }) => level === "note");
  return (
    <>
      {severe.length > 0 && (
        <section aria-label="Not included in this code" className={styles["unsaid"]}>
          <h3>
            <Icon name="warning" size={16} />
            Not included in this code
          </h3>
          <LossList losses={severe} />
        </section>
      )}
      {remarks.map((remark) => (
        <p key={remark} className={styles["hint"]}>
          {remark}
        </p>
      ))}
      {notes.length > 0 && (
        <Disclosure summary={formatMarkCounts(countMarks(notes))}>
          <LossList losses={notes} />
        </Disclosure>
      )}
    </>
  );
}

/** Maximum length of the shown code; the copy button always copies the complete code. */
const MAX_SHOWN_LENGTH = 20_000;

function CodePanel({
  code: { title, install, text, losses, remarks, failure },
  token,
}: {
  code: CodeSample;
  token: boolean;
}) {
  if (failure !== undefined) return <p>{failure}</p>;
  return (
    <>
      <CodeLosses losses={losses} remarks={remarks} />
      <div className={styles["code"]}>
        <CopyButton text={text} label={`Copy ${title}`} showLabel />
        <pre tabIndex={0} aria-label={`Code for ${title}`}>
          <code>{text.slice(0, MAX_SHOWN_LENGTH)}</code>
          {text.length > MAX_SHOWN_LENGTH &&
            `\n… ${(text.length - MAX_SHOWN_LENGTH).toLocaleString("en")} more characters are copied.`}
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
