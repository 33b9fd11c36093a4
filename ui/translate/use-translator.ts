// Hook that creates a translator for the lifetime of a view.
import type { DialectId } from "koine";
import { useEffect, useState, useSyncExternalStore } from "react";
import { useColumnChoice } from "./stored-columns.ts";
import { startEngine } from "./engine-client.ts";
import { Translator } from "./translator.ts";
import type { TranslatorState } from "./translator.ts";
import type { ColumnTarget } from "./types.ts";

export type ColumnOptions = Omit<ColumnTarget, "dialect">;

export interface TranslatorHandle {
  translator: Translator;
  state: TranslatorState;
  /** Targets of the shown columns, in order. */
  targets: readonly ColumnTarget[];
  setOptions: (id: DialectId, options: ColumnOptions) => void;
}

export function useTranslator(): TranslatorHandle {
  const [translator] = useState(() => new Translator(startEngine));
  const [columns] = useColumnChoice();
  const [options, setAll] = useState<ReadonlyMap<DialectId, ColumnOptions>>(new Map());
  const state = useSyncExternalStore(translator.subscribe, translator.getSnapshot);
  const [targets, setTargets] = useState<readonly ColumnTarget[]>([]);
  // `targets` stays the same list while no target changes, so that the effect below does not run again.
  const next = columns.map((dialect): ColumnTarget => Object.assign({ dialect }, options.get(dialect)));
  if (JSON.stringify(next) !== JSON.stringify(targets)) setTargets(next);
  useEffect(() => translator.setTargets(targets), [translator, targets]);
  useEffect(() => {
    translator.startWorker();
    return () => translator.close();
  }, [translator]);
  return {
    translator,
    state,
    targets,
    setOptions: (id, columnOptions) => setAll(new Map(options).set(id, columnOptions)),
  };
}
