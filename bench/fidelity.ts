// What survives, over recorded payloads: Koine and its peers, in the same dialect and there and back through another.
// `--list <contender>` names the files in which a contender falls short.
import { parseArgs } from "node:util";
import { loadContenders } from "./contenders/index.ts";
import { openCorpus } from "./fidelity/corpus.ts";
import { benchSameDialect } from "./fidelity/same-dialect.ts";
import { benchThereAndBack } from "./fidelity/there-and-back.ts";

const { values } = parseArgs({ options: { list: { type: "string" } } });
const corpus = openCorpus();
if (corpus === undefined) {
  console.warn("LEFT OUT: there are no recorded payloads here; set KOINE_CORPUS to a folder that has them");
} else {
  const contenders = await loadContenders();
  const roundTrippers = contenders.flatMap((contender) => contender.roundTrippers);
  benchSameDialect(corpus, "requests", roundTrippers, values.list);
  benchSameDialect(corpus, "responses", roundTrippers, values.list);
  benchThereAndBack(
    corpus,
    contenders.map(({ translator }) => translator),
    values.list,
  );
}
