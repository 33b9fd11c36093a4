// Recorded traces of the AI SDK, older versions included: every list of messages in them round-trips.
import { describe, expect, test } from "vitest";
import { dialect, parseJson, validateMessages } from "../../src/index.ts";
import { describeCorpus } from "../support/corpus.ts";
import { scaleMinimum } from "../support/quick-run.ts";

function isMessage(value: unknown): boolean {
  return typeof value === "object" && value !== null && "role" in value && "content" in value;
}

/** The lists of messages in a value, wherever they stand. */
function listsIn(value: unknown): unknown[][] {
  if (typeof value !== "object" || value === null) return [];
  const list: unknown[] = Array.isArray(value) ? value : [];
  const own = list.length > 0 && list.every(isMessage) ? [list] : [];
  return [...own, ...Object.values(value).flatMap(listsIn)];
}

describeCorpus("ai-sdk/spans/*.json", (recordings) => {
  const lists = recordings.flatMap(({ path, texts }) =>
    texts.flatMap((text) => listsIn(parseJson(text)).map((wire, at) => ({ name: `${path} #${at}`, wire }))),
  );

  test("the traces contain messages", () => {
    expect(lists.length).toBeGreaterThanOrEqual(scaleMinimum(7));
  });

  describe.each(lists)("$name", ({ wire }) => {
    const model = dialect("ai-sdk-model");

    test("round-trips without a loss", () => {
      expect(model.encodeMessages(model.decodeMessages(wire))).toStrictEqual({ wire, losses: [] });
    });

    test("decodes to messages of the model", () => {
      expect(validateMessages(model.decodeMessages(wire))).toStrictEqual([]);
    });
  });
});
