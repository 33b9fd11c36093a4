// Measures translations to another dialect and back: which conversations keep their content.
import type { JsonObject } from "../../src/index.ts";
import { parseJson } from "../../src/index.ts";
import type { Translator } from "../contenders/contender.ts";
import { table } from "../measure.ts";
import { FACTS, factsOf, keptFacts } from "../wire/conversation-content.ts";
import type { DialectName } from "../wire/wire.ts";
import { DIRECTIONS } from "../wire/wire.ts";
import type { Corpus, Recording } from "./corpus.ts";
import { Tally } from "./file-counts.ts";

const COUNTS = ["all kept", ...FACTS, "threw", "differ silently", "losses", "notes"];
const HEAD = ["there and back", "contender", "files", ...COUNTS, "remark"];
/** The model of requests that have none in the body. */
const MODEL = "a-model";

function measure(translator: Translator, from: DialectName, to: DialectName, recording: Recording, tally: Tally): void {
  const { path, text } = recording;
  // The corpus contains only JSON objects.
  const before = parseJson(text) as JsonObject;
  const model = before["model"] === undefined ? MODEL : undefined;
  const outcomes = tally.attempt("threw", path, () => {
    const there = translator.run({ from, to, text, model });
    // The translated request may have its model outside the body too.
    const said = (parseJson(there.text) as JsonObject)["model"] !== undefined;
    return [there, translator.run({ from: to, to: from, text: there.text, model: said ? undefined : MODEL })] as const;
  });
  if (outcomes === undefined) return;
  const [there, back] = outcomes;
  const kept = keptFacts(factsOf(from, before), factsOf(from, parseJson(back.text) as JsonObject));
  for (const fact of kept) tally.add(fact);
  const losses = there.losses + back.losses;
  const notes = there.notes + back.notes;
  if (kept.length === FACTS.length) tally.add("all kept");
  else {
    tally.remember(`${from} → ${to} ${path}`, `keeps ${kept.join(" and ") || "nothing"}`);
    if (losses + notes === 0) tally.add("differ silently");
  }
  tally.add("losses", losses);
  tally.add("notes", notes);
}

/** Prints one table of all twelve pairs; with `listed`, also the files in which that contender loses data. */
export function benchThereAndBack(corpus: Corpus, translators: readonly Translator[], listed?: string): void {
  const rows = DIRECTIONS.flatMap(([from, to]) => {
    const recordings = corpus(from, "requests");
    return translators.map((translator) => {
      const start = [`${from} → ${to}`, translator.name, String(recordings.length)];
      const gap = translator.gap({ from, to });
      if (gap !== undefined) return [...start, ...COUNTS.map(() => ""), gap];
      const tally = new Tally();
      for (const recording of recordings) measure(translator, from, to, recording, tally);
      if (translator.name === listed) tally.list();
      return [...start, ...COUNTS.map((name) => tally.count(name)), ""];
    });
  });
  table("requests: to another dialect and back; texts, tool calls, and results at their calls", HEAD, rows);
}
