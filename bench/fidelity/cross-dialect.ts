// Measures translations to another dialect and back: counts the conversations whose content is unchanged.
import type { JsonObject } from "../../src/index.ts";
import { parseJson } from "../../src/index.ts";
import type { Translator } from "../contenders/contender.ts";
import { table } from "../measure.ts";
import { CONTENT_KINDS, readContent, listEqualContent } from "../wire/conversation-content.ts";
import type { DialectName } from "../wire/wire.ts";
import { DIRECTIONS } from "../wire/wire.ts";
import type { Corpus, Recording } from "./corpus.ts";
import { FileCounts } from "./file-counts.ts";

const COUNTS = ["all kept", ...CONTENT_KINDS, "threw", "differ silently", "losses", "notes"];
const HEAD = ["there and back", "contender", "files", ...COUNTS, "remark"];
/** The model of requests that have no model in the body. */
const MODEL = "a-model";

function measure(
  translator: Translator,
  from: DialectName,
  to: DialectName,
  recording: Recording,
  counts: FileCounts,
): void {
  const { path, text } = recording;
  // The cast is safe, because the corpus contains only JSON objects.
  const before = parseJson(text) as JsonObject;
  const model = before["model"] === undefined ? MODEL : undefined;
  const outcomes = counts.attempt("threw", path, () => {
    const there = translator.run({ from, to, text, model });
    // The translated request may also have its model outside the body.
    const hasModel = (parseJson(there.text) as JsonObject)["model"] !== undefined;
    return [
      there,
      translator.run({ from: to, to: from, text: there.text, model: hasModel ? undefined : MODEL }),
    ] as const;
  });
  if (outcomes === undefined) return;
  const [there, back] = outcomes;
  const equalContent = listEqualContent(
    readContent(from, before),
    readContent(from, parseJson(back.text) as JsonObject),
  );
  for (const fact of equalContent) counts.add(fact);
  const losses = there.losses + back.losses;
  const notes = there.notes + back.notes;
  if (equalContent.length === CONTENT_KINDS.length) counts.add("all kept");
  else {
    counts.remember(`${from} → ${to} ${path}`, `keeps ${equalContent.join(" and ") || "nothing"}`);
    if (losses + notes === 0) counts.add("differ silently");
  }
  counts.add("losses", losses);
  counts.add("notes", notes);
}

/** Prints one table of all twelve pairs, and the files in which the contender named `listed` loses data. */
export function benchCrossDialect(corpus: Corpus, translators: readonly Translator[], listed?: string): void {
  const rows = DIRECTIONS.flatMap(([from, to]) => {
    const recordings = corpus(from, "requests");
    return translators.map((translator) => {
      const start = [`${from} → ${to}`, translator.name, String(recordings.length)];
      const gap = translator.gap({ from, to });
      if (gap !== undefined) return [...start, ...COUNTS.map(() => ""), gap];
      const counts = new FileCounts();
      for (const recording of recordings) measure(translator, from, to, recording, counts);
      if (translator.name === listed) counts.list();
      return [...start, ...COUNTS.map((name) => counts.count(name)), ""];
    });
  });
  table("requests: to another dialect and back; texts, tool calls, and results at their calls", HEAD, rows);
}
