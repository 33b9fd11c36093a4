// Recorded replies of real providers, replayed over HTTP behind Koine: every official SDK reads the whole answer from
// them, and a client of the same dialect receives their bytes.
import { describe, expect, test } from "vitest";
import type { ModelResponse } from "../../../src/index.ts";
import { dialect } from "../../../src/index.ts";
import type { KoineServer } from "../../../src/server/server.ts";
import { assertNoDifferences, findDifferences } from "../../../src/testkit/json/json-differences.ts";
import { cutRandomly, replayServer, seededRandom } from "../../../src/testkit/index.ts";
import { assembleAnswers, formatStream, decodeEvents } from "../../../src/testkit/checks/stream-helpers.ts";
import type { JudgedDialect } from "../../judges/index.ts";
import { JUDGES } from "../../judges/index.ts";
import { expectedResult } from "../../judges/sdk-result.ts";
import type { RecordedStream } from "../../support/corpus.ts";
import { describeStreams } from "../../support/corpus.ts";
import type { CheckOutcome } from "../../support/expected-failures.ts";
import { expectOutcomes, runCheck } from "../../support/expected-failures.ts";
import { isQuickRun } from "../../support/quick-run.ts";
import { startKoine } from "../support/start-koine.ts";

const DIALECTS = Object.keys(JUDGES) as JudgedDialect[];
/** Samples per dialect; other tests read all of them without a server. */
const SAMPLES = isQuickRun ? 2 : 12;

/** Selects streams with one complete answer, evenly spread. */
function sampleOf(streams: readonly RecordedStream[], source: JudgedDialect): [RecordedStream, ModelResponse][] {
  const good = streams.flatMap((stream): [RecordedStream, ModelResponse][] => {
    if (stream.ends !== "done" || stream.isHandWritten) return [];
    const [response, ...others] = assembleAnswers(decodeEvents(dialect(source), stream.events));
    // Koine requests usage, which not every recording has.
    const isWhole = others.length === 0 && response?.error === undefined && response?.usage !== undefined;
    return isWhole ? [[stream, response]] : [];
  });
  const step = Math.max(1, Math.floor(good.length / SAMPLES));
  return good.filter((_, index) => index % step === 0).slice(0, SAMPLES);
}

const MESSAGES = [{ role: "user", content: "?" }];
/** A stream request of each dialect. */
const STREAM_REQUESTS: Readonly<Record<JudgedDialect, readonly [path: string, body: object]>> = {
  "openai-chat": [
    "/v1/chat/completions",
    { model: "m", messages: MESSAGES, stream: true, stream_options: { include_usage: true } },
  ],
  "openai-responses": ["/v1/responses", { model: "m", input: "?", stream: true }],
  anthropic: ["/v1/messages", { model: "m", messages: MESSAGES, max_tokens: 100, stream: true }],
  gemini: ["/v1beta/models/m:streamGenerateContent?alt=sse", { contents: [{ role: "user", parts: [{ text: "?" }] }] }],
};

async function bytesThrough({ url }: KoineServer, source: JudgedDialect): Promise<string> {
  const [path, body] = STREAM_REQUESTS[source];
  const headers = { "content-type": "application/json", "anthropic-version": "2023-06-01" };
  const reply = await fetch(url + path, { method: "POST", headers, body: JSON.stringify(body) });
  return reply.text();
}

async function judge(koine: KoineServer, target: JudgedDialect, response: ModelResponse): Promise<void> {
  const { raw: _, ...verdict } = await JUDGES[target].runSdk(koine.url);
  const expected = expectedResult(response, dialect(target), JUDGES[target]);
  assertNoDifferences(findDifferences(expected, verdict), `The SDK of ${target} finds something else.`);
}

describeStreams((recorded) => {
  describe.each(DIALECTS)("%s", (source) => {
    test("recorded streams reach every official SDK through Koine unchanged", async () => {
      let bytes = new Uint8Array();
      await using upstream = await replayServer(() => ({
        chunks: cutRandomly(bytes, seededRandom(bytes.length), Math.ceil(bytes.length / 5) + 16),
      }));
      const up = { dialect: source, baseUrl: upstream.url, apiKey: "none", retry: { attempts: 1 } };
      await using koine = await startKoine({ providers: { up } });
      const outcomes: CheckOutcome[] = [];
      const samples = sampleOf(recorded.get(source) ?? [], source);
      expect(samples.length).toBe(SAMPLES);
      for (const [{ name, events }, response] of samples) {
        bytes = new Uint8Array(formatStream(dialect(source), events));
        const text = new TextDecoder().decode(bytes);
        outcomes.push(await runCheck(name, "bytes", async () => expect(await bytesThrough(koine, source)).toBe(text)));
        for (const target of DIALECTS.filter((id) => id !== source)) {
          outcomes.push(await runCheck(name, target, () => judge(koine, target, response)));
        }
      }
      expectOutcomes(outcomes, []);
    });
  });
});
