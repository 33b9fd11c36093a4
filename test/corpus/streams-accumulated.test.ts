// B80 compared with the official SDKs: the response that an SDK accumulates from a recorded stream equals the response
// that Koine assembles.
import { describe, expect, test } from "vitest";
import type { ModelResponse, WireEvent } from "../../src/index.ts";
import { dialect } from "../../src/index.ts";
import { assertNoDifferences, findDifferences } from "../../src/testkit/json/json-differences.ts";
import {
  assembleAnswers,
  formatStream,
  toComparableResponse,
  decodeEvents,
} from "../../src/testkit/checks/stream-helpers.ts";
import type { JudgedDialect } from "../judges/index.ts";
import { anthropicBetaJudge } from "../judges/anthropic.ts";
import { JUDGES } from "../judges/index.ts";
import type { Judge } from "../judges/sdk-result.ts";
import type { RecordedStream } from "../support/corpus.ts";
import { scaleMinimum } from "../support/quick-run.ts";
import { describeStreams } from "../support/corpus.ts";
import type { ExpectedFailure } from "../support/expected-failures.ts";
import { expectOutcomes, runCheck } from "../support/expected-failures.ts";
import { inParallel, streamServer } from "../support/recorded-stream-encoding.ts";

/** Gemini's SDK has no accumulator. */
const ACCUMULATING: readonly [JudgedDialect, Judge][] = [
  ["openai-chat", JUDGES["openai-chat"]],
  ["openai-responses", JUDGES["openai-responses"]],
  ["anthropic", anthropicBetaJudge],
];

const EXCEPTIONS: readonly ExpectedFailure[] = [
  ["vercel--mistral-incremental-tool-call", "The SDK refuses it: no chunk has a role."],
  ["vercel--mistral-reasoning", "The vendor's content is a list, which the SDK joins as if it were text."],
  ["vercel--mistral-tool-call\\.", "The SDK refuses it: a call has no index."],
  ["vercel--openai-compatible-anthropic-fallback-tool-call", "The SDK refuses it: a chunk has no id."],
  ["vercel--github-copilot-id-rotation", "The SDK refuses it: the id of the response changes."],
  ["vercel--openai-apply-patch-tool\\.1", "The SDK refuses it: an event of a type that it does not know."],
  ["vercel--openai-compaction", "The provider encrypts an item anew for its closing snapshot."],
  ["vercel--programmatic-tool-calling\\.1", "The provider encrypts an item anew for its closing snapshot."],
  ["vercel--openai-shell-container\\.1", "Its final snapshot has another text than its deltas."],
  ["vercel--duplicate-message-start", "The SDK refuses it: the answer begins twice."],
].map(([name = "", reason = ""]) => ({ streams: new RegExp(name), check: "accumulated", reason }));

/** The events as the provider sent them: recordings omit names and the end marker. */
function asSent(id: JudgedDialect, events: readonly unknown[]): WireEvent[] {
  const sent = events.map((data): WireEvent => {
    const { type } = data as { type?: string };
    return type === undefined || id === "openai-chat"
      ? { data: data as object }
      : { event: type, data: data as object };
  });
  return id === "openai-chat" ? [...sent, { data: "[DONE]" }] : sent;
}

/** Compares the content only: a stream and its accumulator have fewer or other fields besides the content. */
function core(response: ModelResponse): unknown {
  const { message, alternatives = [], finishReason, usage } = toComparableResponse(response);
  const partLists = [message, ...alternatives.map((each) => each.message)].map(({ parts }) => parts);
  return withoutResidue({
    content: partLists,
    finishReason,
    endings: alternatives.map((each) => each.finishReason),
    usage,
  });
}

function withoutResidue(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(withoutResidue);
  if (typeof value !== "object" || value === null) return value;
  const fields = Object.entries(value).filter(([key, field]) => key !== "extra" && field !== undefined);
  return Object.fromEntries(fields.map(([key, field]) => [key, withoutResidue(field)]));
}

/** Splits the events of several answers: the decoder determines where a new one starts. */
function single(id: JudgedDialect, stream: RecordedStream): RecordedStream[] {
  const decoder = dialect(id).streamDecoder();
  const groups: unknown[][] = [];
  for (const event of stream.events) {
    const begins = decoder.push(event).some(({ kind }) => kind === "start");
    if (begins || groups.length === 0) groups.push([]);
    groups.at(-1)?.push(event);
  }
  if (groups.length === 1) return [stream];
  return groups.map((events, index) => Object.assign({ ...stream }, { name: `${stream.name}#${index}`, events }));
}

describeStreams((recorded) => {
  describe.each(ACCUMULATING)("%s", (id, judge) => {
    test("B80: the SDK accumulates the same answer that the stream assembles to", async () => {
      const streams = (recorded.get(id) ?? []).flatMap((stream) => single(id, stream));
      expect(streams.length).toBeGreaterThan(scaleMinimum(40));
      const bytes = new Map(streams.map(({ events }, index) => [index, formatStream(dialect(id), asSent(id, events))]));
      await using server = await streamServer(bytes);
      const outcomes = await inParallel(streams, ({ name, events }, index) =>
        runCheck(name, "accumulated", async () => {
          const [streamed] = assembleAnswers(decodeEvents(dialect(id), events));
          if (streamed === undefined) throw new Error("There is no answer.");
          if (streamed.error !== undefined) return;
          const { raw } = await judge.runSdk(`${server.url}/stream-${index}`);
          const whole = dialect(id).decodeResponse(JSON.parse(JSON.stringify(raw)));
          assertNoDifferences(findDifferences(core(whole), core(streamed)), "The stream assembles to something else.");
        }),
      );
      expectOutcomes(outcomes, EXCEPTIONS);
    });
  });
});
