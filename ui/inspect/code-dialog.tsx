// A request as code to paste: for a shell, and for every SDK that this server speaks to.
import { useEffect, useState } from "react";
import { useApi, useModels } from "../data/hooks.ts";
import { CopyButton, Dialog, Spinner, Tabs } from "../kit/index.ts";
import type { Translation } from "../translate/use-translator.ts";
import type { Code } from "../translate/types.ts";
import styles from "./inspect-view.module.css";

/** Answers without a key, and costs nothing. */
const DEMO = "demo/koine";

export interface CodeDialogProps {
  translation: Translation;
  /** The model that was asked. */
  model: string;
  onClose: () => void;
}

export function CodeDialog({ translation: { translator, state }, model, onClose }: CodeDialogProps) {
  const api = useApi();
  const models = useModels();
  const known = models.map(({ id }) => id);
  const first = model === "" ? (known.includes(DEMO) ? DEMO : (known[0] ?? DEMO)) : model;
  const [chosen, choose] = useState(first);
  const [tab, setTab] = useState("curl");
  const token = api.token.get() !== undefined;
  const { codes, reading } = state;
  // Also when something else was read meanwhile: the conversation has gone on.
  useEffect(() => {
    if (reading !== undefined) translator.askForCode({ origin: location.origin, model: chosen, token });
  }, [translator, chosen, token, reading]);
  const shown = codes?.find(({ id }) => id === tab);
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
      {codes === undefined && <Spinner label="Writing code" />}
      {codes?.length === 0 && <p>There is nothing in it that could be asked of a model.</p>}
      {codes !== undefined && codes.length > 0 && (
        <Tabs label="SDK" tabs={codes.map(({ id, title }) => ({ id, label: title }))} selected={tab} onSelect={setTab}>
          {shown !== undefined && <CodePanel code={shown} token={token} />}
        </Tabs>
      )}
    </Dialog>
  );
}

/** More than this is copied, but not drawn. */
const SHOWN = 20_000;

function CodePanel({ code: { title, install, text, failure }, token }: { code: Code; token: boolean }) {
  if (failure !== undefined) return <p>{failure}</p>;
  return (
    <>
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
