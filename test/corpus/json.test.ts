// B23 with recorded payloads: values are equal to those of JSON.parse, and every number is written with its exact value.
import { isDeepStrictEqual } from "node:util";
import { expect, test } from "vitest";
import { parseJson, stringifyJson } from "koine";
import { describeCorpus } from "../support/corpus.ts";
import { scaleMinimum } from "../support/quick-run.ts";

/** The numbers of a JSON text, outside of its strings, as exact decimals: digits without padding, and an exponent. */
function numbers(text: string): string[] {
  const withoutStrings = text.replaceAll(/"(?:[^"\\]|\\.)*"/g, '""');
  return (withoutStrings.match(/-?\d+(?:\.\d+)?(?:[eE][+-]?\d+)?/g) ?? []).map(normal);
}

function normal(number: string): string {
  const [, sign = "", whole = "", fraction = "", exponent = "0"] =
    /^(-?)(\d+)(?:\.(\d+))?(?:[eE](.+))?$/.exec(number) ?? [];
  const digits = `${whole}${fraction}`.replace(/^0+/, "");
  const trimmed = digits.replace(/0+$/, "");
  if (trimmed === "") return "0";
  return `${sign}${trimmed}e${Number(exponent) - fraction.length + (digits.length - trimmed.length)}`;
}

describeCorpus("*/*/*.{json,jsonl}", (recordings) => {
  test("there are recordings to read", () => {
    expect(recordings.length).toBeGreaterThan(scaleMinimum(100));
  });

  test("B23: every recorded payload is parsed exactly, and written with the exact value of every number", () => {
    const wrong = recordings.filter(({ texts }) =>
      texts.some((text) => {
        const value = parseJson(text);
        const isRead = isDeepStrictEqual(value, JSON.parse(text));
        return !isRead || numbers(stringifyJson(value)).join() !== numbers(text).join();
      }),
    );
    expect(wrong.map(({ path }) => path)).toStrictEqual([]);
  });
});
