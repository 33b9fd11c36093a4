// Compares how much of recorded payloads Koine and other libraries preserve: in the same dialect, and through another
// dialect and back. `--list <contender>` lists the files in which a contender loses data.
import { parseArgs } from "node:util";
import { loadContenders } from "./contenders/index.ts";
import { openCorpus } from "./fidelity/corpus.ts";
import { benchSameDialect } from "./fidelity/same-dialect.ts";
import { benchCrossDialect } from "./fidelity/cross-dialect.ts";

const { values } = parseArgs({ options: { list: { type: "string" } } });
const corpus = openCorpus();
if (corpus === undefined) {
  console.warn("LEFT OUT: there are no recorded payloads here; set KOINE_CORPUS to a folder that has them");
} else {
  const contenders = await loadContenders();
  const roundTrippers = contenders.flatMap((contender) => contender.roundTrippers);
  benchSameDialect(corpus, "requests", roundTrippers, values.list);
  benchSameDialect(corpus, "responses", roundTrippers, values.list);
  benchCrossDialect(
    corpus,
    contenders.map(({ translator }) => translator),
    values.list,
  );
}
