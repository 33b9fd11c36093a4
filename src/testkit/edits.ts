// What was kept from the wire survives edits: everything that an edit does not touch goes out as it was.
import { editPart } from "../model/edit-part.ts";
import { stringifyJson } from "../model/json/index.ts";
import { user } from "../model/message.ts";
import type { ModelRequest } from "../model/request.ts";
import type { TextPart } from "../model/parts.ts";
import { evenly } from "./choice.ts";
import { demand } from "./demand.ts";
import { demandNone, differences } from "./differences.ts";
import type { Exchange, SampleCheck } from "./exchange.ts";
import { growth } from "./growth.ts";
import { withPlace } from "./places.ts";
import { isExplained } from "./repairs.ts";

const APPENDED = "And another thing, appended.";
const EDITED = "An edited text that stands nowhere else.";
/** Texts of one sample that are edited, each by itself. */
const EDITS = 5;

function isRequest(exchange: Exchange<unknown>, value: unknown): value is ModelRequest {
  return exchange.cargo === "requests" && typeof value === "object";
}

/** One more message: one list grows, or the last turn does; all else is the same to the byte. */
export const keepsWhatIsBefore: SampleCheck = (exchange, dialect, sample) => {
  const value = exchange.decode(dialect, sample.wire, sample);
  if (!isRequest(exchange, value)) return;
  const longer = { ...value, messages: [...value.messages, user(APPENDED)] };
  for (const repair of [false, true]) {
    const [before, after] = [value, longer].map((each) => dialect.encodeRequest(each, { repair }));
    if (before === undefined || after === undefined) return;
    const { grown, faults } = growth(before.wire, after.wire);
    if (repair && isExplained(before, after)) continue;
    demandNone(faults, "An appended message changed something before it.", `repair: ${repair}`);
    demand(stringifyJson(after.wire).includes(APPENDED), "The appended message is not there.", after.wire);
    demand(grown.length === 1, "An appended message made more than one thing grow.", grown);
  }
};

/** A text that nothing vouches for, so that an edit of it leaves everything beside it standing. */
function isPlain(part: TextPart): boolean {
  const vouching = [part.seals, part.annotations, part.logprobs];
  return part.text.trim() !== "" && vouching.every((list) => list === undefined || list.length === 0);
}

/** Each text edited by itself: the strings that held it hold the new one, and nothing else changes. */
export const keepsTheRest: SampleCheck = (exchange, dialect, sample) => {
  const value = exchange.decode(dialect, sample.wire, sample);
  const texts = exchange.messages(value).flatMap(({ keys, message }) =>
    message.parts.flatMap((part, index) => {
      return part.type === "text" && isPlain(part) ? [{ keys: [...keys, "parts", index], part }] : [];
    }),
  );
  for (const repair of [false, true]) {
    const before = exchange.encode(dialect, value, { repair });
    for (const { keys, part } of evenly(texts, EDITS)) {
      // The value differs in one text.
      const edited = withPlace(value, keys, editPart(part, { text: EDITED })) as typeof value;
      const after = exchange.encode(dialect, edited, { repair });
      if (repair && isExplained(before, after)) continue;
      const found = differences(before.wire, after.wire);
      demand(found.length > 0, "The edit did not arrive.", keys.join("/"));
      const others = found.filter(
        ({ was, is }) => typeof is !== "string" || !is.includes(EDITED) || is.split(EDITED).join(part.text) !== was,
      );
      demandNone(others, `An edited text (${keys.join("/")}) changed something else.`, `repair: ${repair}`);
    }
  }
};
