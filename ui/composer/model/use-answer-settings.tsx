// Hook that returns the model and settings of a chat's next answer, with the controls that show and change them.
import { type ReactNode, useEffect, useState } from "react";
import { useApi, useModels } from "../../data/hooks.ts";
import type { AnswerSettings, ConversationActions, ConversationState } from "../../data/types.ts";
import { Button } from "../../kit/index.ts";
import {
  describeInheritedSettings,
  type LastCall,
  readLastCall,
  findLastRunId,
  omitsTools,
  chooseNextModel,
  withTools,
} from "./last-call.ts";
import styles from "../composer.module.css";
import { storeLastModel } from "./model-choice.ts";
import { ModelPicker } from "./model-picker.tsx";

export interface NextAnswerSettings {
  answerSettings: AnswerSettings;
  picker: ReactNode;
  /** Lists the tools and settings of the last call that the next call repeats; null if there are none. */
  inheritedNote: ReactNode;
}

export function useAnswerSettings(state: ConversationState, actions: ConversationActions): NextAnswerSettings {
  const models = useModels();
  const last = useLastCall(state);
  // Changes that the user has made in this composer; they take precedence over the settings that the thread stores.
  const [changed, setChanged] = useState<AnswerSettings>({});
  const effective: AnswerSettings = { ...state.answerSettings, ...changed };
  const change = (changes: AnswerSettings): void => {
    setChanged((current) => ({ ...current, ...changes }));
    // If the server cannot store the changes in the thread, the error is ignored: the changes still apply to the next
    // message.
    actions.storeAnswerSettings(changes).catch(() => undefined);
  };
  const isKnown = effective.model !== undefined || last !== "loading";
  const call = last === "loading" ? undefined : last;
  const model = isKnown && models.length > 0 ? chooseNextModel(effective, call, models) : (effective.model ?? "");
  const pick = (picked: string): void => {
    // An empty name means that the user has emptied the field; this restores the default model.
    const next = picked === "" ? chooseNextModel({}, call, models) : picked;
    if (picked !== "") storeLastModel(next);
    change({ model: next });
  };
  const label = "Model for the next answer";
  const picker = <ModelPicker compact label={label} value={model} placeholder="…" models={models} onChange={pick} />;
  const note = describeInheritedSettings(call, effective);
  const inheritedNote =
    note === undefined ? null : (
      <InheritedNote
        note={note}
        call={call}
        answerSettings={effective}
        onChange={({ settings = {} }) => change({ settings })}
      />
    );
  return { answerSettings: { ...changed, ...(model !== "" && { model }) }, picker, inheritedNote };
}

/**
 * Returns the last recorded call of the shown branch, whose settings the server repeats in the next call; undefined if
 * the branch has no call or its run cannot be read; "loading" until a run is read for the first time.
 */
function useLastCall(state: ConversationState): LastCall | undefined | "loading" {
  const api = useApi();
  const runId = findLastRunId(state);
  const [loaded, setLoaded] = useState<{ runId: string; call: LastCall | undefined }>();
  useEffect(() => {
    if (runId === undefined) return undefined;
    let isUnmounted = false;
    const show = (call: LastCall | undefined): void => void (isUnmounted || setLoaded({ runId, call }));
    api.run(runId).then(
      (run) => show(readLastCall(run)),
      // The server may have deleted the run. Then the server has no settings to repeat, and the next call has only the
      // messages.
      () => show(undefined),
    );
    return () => void (isUnmounted = true);
  }, [api, runId]);
  if (runId === undefined) return undefined;
  // While the run of a newer answer is being read, the call of the previous run is returned.
  return loaded === undefined ? "loading" : loaded.call;
}

interface InheritedNoteProps {
  note: string;
  call: LastCall | undefined;
  answerSettings: AnswerSettings;
  onChange: (answerSettings: AnswerSettings) => void;
}

function InheritedNote({ note, call, answerSettings, onChange }: InheritedNoteProps) {
  const isOmitted = omitsTools(answerSettings);
  const hasTools = isOmitted || (call?.toolCount ?? 0) > 0;
  return (
    <p className={styles["along"]}>
      {note}
      {hasTools && (
        <Button small onClick={() => onChange(withTools(answerSettings, isOmitted))}>
          {isOmitted ? "Include the tools" : "Omit the tools"}
        </Button>
      )}
    </p>
  );
}
