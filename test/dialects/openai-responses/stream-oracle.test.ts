// Compares Responses streams with the whole answer, in both directions.
import { describe, expect, test } from "vitest";
import { assemble, dialect as dialectOf, disassemble } from "../../../src/index.ts";
import { openaiResponses } from "../../../src/dialects/openai-responses/index.ts";
import type { Delta } from "../../../src/model/delta.ts";
import type { ModelResponse } from "../../../src/model/response.ts";
import { canonicalResponses, streamConformance } from "../../../src/testkit/index.ts";
import {
  assembleAnswers,
  toComparableResponse,
  decodeEvents,
  encodeDeltas,
} from "../../../src/testkit/checks/stream-helpers.ts";
import { createRepeatedFieldTest } from "../../support/repeated-stream-fields.ts";
import { scaleRunCount } from "../../support/property-run-count.ts";
import { listFormatExceptions } from "../../support/stream-format-exceptions.ts";
import { responseSamples } from "./response-samples.ts";
import type { WireEventBody } from "./stream-events.ts";
import { brokenSamples, streamSamples } from "./stream-samples.ts";
import { RARE } from "../all/rare-samples.rows.ts";

const dialect = openaiResponses();

const otherDialects = Object.entries(RARE).flatMap(([id, { responses }]) =>
  responses.map(({ wire }) => dialectOf(id).decodeResponse(structuredClone(wire))),
);
const own = responseSamples.map(({ wire }) => dialect.decodeResponse(structuredClone(wire)));

describe("conformance", () => {
  const options = {
    samples: streamSamples,
    responses: [...own, ...otherDialects],
    mutants: scaleRunCount(60),
    isRepeatedField: createRepeatedFieldTest(dialect.id),
  };
  const cases = streamConformance(dialect, { ...options, exceptions: listFormatExceptions(dialect.id) });
  const broken = streamConformance(dialect, {
    samples: brokenSamples,
    mutants: scaleRunCount(60),
    isRepeatedField: () => true,
  });
  const isOfSample = ({ title }: { title: string }): boolean => brokenSamples.some(({ name }) => title.includes(name));
  cases.push(...broken.filter((each) => isOfSample(each) && !each.title.includes("comes back")));
  test.each(cases.filter(({ title }) => !title.includes("exceptions")))("$title", ({ run }) => run());
});

/** Returns the whole answer of the last event. */
function lastBody(events: readonly unknown[]): WireEventBody | undefined {
  const { response } = (events.at(-1) ?? {}) as { response?: WireEventBody };
  return response;
}

/** Removes residue that only a stream has. */
function withoutEvents(response: ModelResponse): ModelResponse {
  const { extra, ...rest } = toComparableResponse(structuredClone(response));
  const form = extra?.["openai-responses"]?.["$form"] as WireEventBody | undefined;
  delete extra?.["openai-responses"]?.["$events"];
  delete form?.["event"];
  if (form !== undefined && Object.keys(form).length === 0) delete extra?.["openai-responses"]?.["$form"];
  return extra === undefined ? rest : { ...rest, extra };
}

const repeated = streamSamples.filter(({ events }) => {
  const output = lastBody(events)?.["output"];
  return Array.isArray(output) && output.length > 0;
});

test("there are streams that repeat their answer", () => {
  expect(repeated.length).toBeGreaterThan(12);
});

test.each(repeated)("B80: $name equals the answer that its last event repeats", ({ events }) => {
  const streamed = assembleAnswers(decodeEvents(dialect, events)).at(-1);
  const whole = dialect.decodeResponse(lastBody(events));
  expect(streamed && withoutEvents(streamed)).toStrictEqual(withoutEvents(whole));
});

describe("B83: ids, indexes and items of the events are those of the whole answer", () => {
  const answers = [...canonicalResponses().map(({ value }) => value), ...own, ...otherDialects].filter(
    ({ error }) => error === undefined,
  );
  test("in every answer", () => {
    expect(answers.length).toBeGreaterThan(40);
    for (const answer of answers) {
      const { events } = encodeDeltas(dialect, disassemble(answer));
      const wires = events.map(({ data }) => data as WireEventBody);
      expect(wires.map((wire) => wire["sequence_number"])).toStrictEqual(wires.map((_, index) => index));
      const { output } = lastBody(wires) as { output: WireEventBody[] };
      const finished = wires.filter(({ type }) => type === "response.output_item.done");
      expect(new Set(finished.map(({ output_index }) => output_index))).toStrictEqual(new Set(output.keys()));
      expect(finished.length).toBe(output.length);
      for (const { output_index, item } of finished) expect(item).toStrictEqual(output[Number(output_index)]);
      for (const { item_id, output_index } of wires) {
        if (item_id === undefined) continue;
        const { id, call_id } = output[Number(output_index)] ?? {};
        expect(item_id).toBe(id ?? call_id ?? "");
      }
    }
  });
});

test.each(repeated)("a decoded and encoded stream has the same last event: $name", ({ events }) => {
  const encodedAgain = encodeDeltas(dialect, decodeEvents(dialect, events)).events;
  expect(lastBody(encodedAgain.map(({ data }) => data))).toStrictEqual(lastBody(events));
  expect(encodedAgain.at(-1)?.event).toBe((events.at(-1) as WireEventBody)["type"] ?? "response.completed");
});

test("an answer in one delta and in single characters ends with the same event", () => {
  const [, sample] = streamSamples;
  const answer = assemble(decodeEvents(dialect, sample?.events ?? []));
  const letters = (delta: Delta): Delta[] => {
    if (delta.kind !== "text") return [delta];
    const { textDelta, partKey: part = 0 } = delta.payload;
    return Array.from(textDelta, (letter, at) => ({
      kind: "text",
      payload: at === 0 ? { ...delta.payload, textDelta: letter } : { textDelta: letter, partKey: part },
    }));
  };
  const deltas = disassemble(answer);
  const [whole, cut] = [deltas, deltas.flatMap(letters)].map((each) => encodeDeltas(dialect, each).events);
  expect(cut?.length).toBeGreaterThan(whole?.length ?? Infinity);
  expect(cut?.at(-1)?.data).toMatchObject({ response: lastBody(whole?.map(({ data }) => data) ?? []) });
});
