// How the next question of a chat is asked, with the fields that say so and change it.
import { type ReactNode, useEffect, useState } from "react";
import { useApi, useModels } from "../data/hooks.ts";
import type { AskSettings, ConversationActions, ConversationState } from "../data/types.ts";
import { Button } from "../kit/index.ts";
import { alongWords, type LastCall, lastCallOf, lastRunOf, leavesTools, nextModel, withTools } from "./asked.ts";
import styles from "./composer.module.css";
import { rememberModel } from "./model-choice.ts";
import { ModelPicker } from "./model-picker.tsx";

export interface NextAsk {
  ask: AskSettings;
  picker: ReactNode;
  /** What goes along from the last call, where something does. */
  along: ReactNode;
}

export function useNextAsk(state: ConversationState, actions: ConversationActions): NextAsk {
  const models = useModels();
  const last = useLastCall(state);
  // Until the thread remembers it.
  const [chosen, setChosen] = useState<AskSettings>({});
  const wished: AskSettings = { ...state.ask, ...chosen };
  const choose = (changes: AskSettings): void => {
    setChosen((now) => ({ ...now, ...changes }));
    // Where it cannot be remembered, it is still said with the next question.
    actions.remember(changes).catch(() => undefined);
  };
  const isKnown = wished.model !== undefined || last !== "loading";
  const call = last === "loading" ? undefined : last;
  const model = isKnown && models.length > 0 ? nextModel(wished, call, models) : (wished.model ?? "");
  const pick = (picked: string): void => {
    // Emptied: as if nobody had chosen.
    const next = picked === "" ? nextModel({}, call, models) : picked;
    if (picked !== "") rememberModel(next);
    choose({ model: next });
  };
  const label = "Model for the next answer";
  const picker = <ModelPicker compact label={label} value={model} placeholder="…" models={models} onChange={pick} />;
  const words = alongWords(call, wished);
  const along =
    words === undefined ? null : (
      <Along words={words} call={call} ask={wished} onChange={({ settings = {} }) => choose({ settings })} />
    );
  return { ask: { ...chosen, ...(model !== "" && { model }) }, picker, along };
}

/** The call whose settings the server repeats; "loading" until it is read. */
function useLastCall(state: ConversationState): LastCall | undefined | "loading" {
  const api = useApi();
  const runId = lastRunOf(state);
  const [known, setKnown] = useState<{ runId: string; call: LastCall | undefined }>();
  useEffect(() => {
    if (runId === undefined) return undefined;
    let isLeft = false;
    const show = (call: LastCall | undefined): void => void (isLeft || setKnown({ runId, call }));
    api.run(runId).then(
      (run) => show(lastCallOf(run)),
      // It may be purged: then its messages alone are sent.
      () => show(undefined),
    );
    return () => void (isLeft = true);
  }, [api, runId]);
  if (runId === undefined) return undefined;
  // Until the next one is read, the one before it says the same, mostly.
  return known === undefined ? "loading" : known.call;
}

interface AlongProps {
  words: string;
  call: LastCall | undefined;
  ask: AskSettings;
  onChange: (ask: AskSettings) => void;
}

function Along({ words, call, ask, onChange }: AlongProps) {
  const leaves = leavesTools(ask);
  const hasTools = leaves || (call?.tools ?? 0) > 0;
  return (
    <p className={styles["along"]}>
      {words}
      {hasTools && (
        <Button small onClick={() => onChange(withTools(ask, leaves))}>
          {leaves ? "Include the tools" : "Leave the tools out"}
        </Button>
      )}
    </p>
  );
}
