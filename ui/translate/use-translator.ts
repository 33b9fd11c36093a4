// A translator for as long as a view is shown, and its state.
import type { DialectId } from "koine";
import { useEffect, useState, useSyncExternalStore } from "react";
import { useColumnChoice } from "./choices.ts";
import { startEngine } from "./engine-client.ts";
import { Translator } from "./translator.ts";
import type { TranslatorState } from "./translator.ts";
import type { Target } from "./types.ts";

export type ColumnOptions = Omit<Target, "dialect">;

export interface Translation {
  translator: Translator;
  state: TranslatorState;
  /** The columns that are shown, in order. */
  targets: readonly Target[];
  setOptions: (id: DialectId, options: ColumnOptions) => void;
}

export function useTranslator(): Translation {
  const [translator] = useState(() => new Translator(startEngine));
  const [chosen] = useColumnChoice();
  const [options, setAll] = useState<ReadonlyMap<DialectId, ColumnOptions>>(new Map());
  const state = useSyncExternalStore(translator.subscribe, translator.getSnapshot);
  const [targets, setTargets] = useState<readonly Target[]>([]);
  // The same list as long as nothing in it changes.
  const next = chosen.map((dialect): Target => Object.assign({ dialect }, options.get(dialect)));
  if (JSON.stringify(next) !== JSON.stringify(targets)) setTargets(next);
  useEffect(() => translator.setTargets(targets), [translator, targets]);
  useEffect(() => {
    translator.begin();
    return () => translator.close();
  }, [translator]);
  return { translator, state, targets, setOptions: (id, given) => setAll(new Map(options).set(id, given)) };
}
