// Checks that residue survives edits: an edited text or an appended message changes nothing else on the wire.
import { editPart } from "../../model/edit-part.ts";
import { stringifyJson } from "../../model/json/index.ts";
import { user } from "../../model/message.ts";
import type { ModelRequest } from "../../model/request.ts";
import type { TextPart } from "../../model/parts.ts";
import { pickEvenly } from "../pick-evenly.ts";
import { assertHolds } from "../conformance-case.ts";
import { assertNoDifferences, findDifferences } from "../json/json-differences.ts";
import type { PayloadCodec, WireSampleCheck } from "./payload-codec.ts";
import { compareAppendOnly } from "./append-only-differences.ts";
import { replaceAt } from "../json/json-nodes.ts";
import { haveDifferentRepairs } from "./reported-repairs.ts";

const APPENDED_TEXT = "And another thing, appended.";
const EDITED_TEXT = "An edited text that stands nowhere else.";
/** The maximum number of texts of one sample that are edited. */
const EDIT_LIMIT = 5;

function isRequest(codec: PayloadCodec<unknown>, value: unknown): value is ModelRequest {
  return codec.capability === "requests" && typeof value === "object";
}

/** Requires that an appended message only extends one list or the last turn, and that all other bytes are equal. */
export const assertAppendOnlyAppends: WireSampleCheck = (codec, dialect, sample) => {
  const value = codec.decode(dialect, sample.wire, sample);
  if (!isRequest(codec, value)) return;
  const longer = { ...value, messages: [...value.messages, user(APPENDED_TEXT)] };
  for (const repair of [false, true]) {
    const [before, after] = [value, longer].map((each) => dialect.encodeRequest(each, { repair }));
    if (before === undefined || after === undefined) return;
    const { additions, changes } = compareAppendOnly(before.wire, after.wire);
    if (repair && haveDifferentRepairs(before, after)) continue;
    assertNoDifferences(changes, "An appended message changed something before it.", `repair: ${repair}`);
    assertHolds(stringifyJson(after.wire).includes(APPENDED_TEXT), "The appended message is absent.", after.wire);
    assertHolds(additions.length === 1, "An appended message extended more than one place.", additions);
  }
};

/** True for a text that is not blank and has no seals, annotations or logprobs, which an edit would invalidate. */
function isIndependentText(part: TextPart): boolean {
  const dependentLists = [part.seals, part.annotations, part.logprobs];
  return part.text.trim() !== "" && dependentLists.every((list) => list === undefined || list.length === 0);
}

/** Requires that the edit of one text changes only the wire strings that contain the text. */
export const assertEditIsLocal: WireSampleCheck = (codec, dialect, sample) => {
  const value = codec.decode(dialect, sample.wire, sample);
  const texts = codec.listMessages(value).flatMap(({ keys, message }) =>
    message.parts.flatMap((part, index) => {
      return part.type === "text" && isIndependentText(part) ? [{ keys: [...keys, "parts", index], part }] : [];
    }),
  );
  for (const repair of [false, true]) {
    const before = codec.encode(dialect, value, { repair });
    for (const { keys, part } of pickEvenly(texts, EDIT_LIMIT)) {
      // The cast is safe, because a text part is replaced with a text part.
      const edited = replaceAt(value, keys, editPart(part, { text: EDITED_TEXT })) as typeof value;
      const after = codec.encode(dialect, edited, { repair });
      if (repair && haveDifferentRepairs(before, after)) continue;
      const differences = findDifferences(before.wire, after.wire);
      assertHolds(differences.length > 0, "The edited text is absent.", keys.join("/"));
      const others = differences.filter(
        ({ was, is }) =>
          typeof is !== "string" || !is.includes(EDITED_TEXT) || is.split(EDITED_TEXT).join(part.text) !== was,
      );
      assertNoDifferences(others, `An edited text (${keys.join("/")}) changed something else.`, `repair: ${repair}`);
    }
  }
};
