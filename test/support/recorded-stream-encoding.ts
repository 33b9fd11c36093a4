// Tests of recorded streams that are encoded for one target: Koine's decoder and the target's official SDK (over HTTP)
// must read the same answer as from the whole response.
import { afterAll, describe, expect, test } from "vitest";
import type { Delta, Dialect, ModelResponse } from "../../src/index.ts";
import { dialect } from "../../src/index.ts";
import type { ReplayServer } from "../../src/testkit/index.ts";
import { cutRandomly, replayServer, seededRandom } from "../../src/testkit/index.ts";
import { assertNoDifferences, findDifferences } from "../../src/testkit/json/json-differences.ts";
import {
  assembleAnswers,
  formatStream,
  decodeEvents,
  encodeDeltas,
  splitAnswers,
} from "../../src/testkit/checks/stream-helpers.ts";
import type { JudgedDialect } from "../judges/index.ts";
import { JUDGES } from "../judges/index.ts";
import { expectedResult } from "../judges/sdk-result.ts";
import type { RecordedStream } from "./corpus.ts";
import { describeStreams } from "./corpus.ts";
import type { CheckOutcome, ExpectedFailure } from "./expected-failures.ts";
import { expectOutcomes, listUnusedRows, runCheck } from "./expected-failures.ts";
import { isQuickRun } from "./quick-run.ts";
import { expectStreamedEqualsWhole } from "./streamed-equals-whole.ts";

/** One answer of a recorded stream. */
interface Answer {
  name: string;
  deltas: Delta[];
  response: ModelResponse;
}

/** Returns the answers of a stream, each with a unique name. */
function answersIn(source: Dialect, { name, events }: RecordedStream): Answer[] {
  const all = splitAnswers(decodeEvents(source, events));
  return all.flatMap((deltas, index) => {
    const [response] = assembleAnswers(deltas);
    return response === undefined ? [] : [{ name: all.length === 1 ? name : `${name}#${index}`, deltas, response }];
  });
}

/** Serves each stream under its number, any number of times. */
export async function streamServer(streams: ReadonlyMap<number, Uint8Array>): Promise<ReplayServer> {
  return replayServer(({ path }) => {
    const number = Number(/^\/stream-(\d+)\//.exec(path)?.[1]);
    const bytes = streams.get(number) ?? new Uint8Array();
    return { chunks: cutRandomly(bytes, seededRandom(number), Math.max(16, bytes.length / 12)) };
  });
}

/** Number of SDK calls that run at the same time. */
const AT_ONCE = 8;

export async function inParallel<T, R>(
  items: readonly T[],
  step: (item: T, index: number) => Promise<R>,
): Promise<R[]> {
  const results: R[] = [];
  let next = 0;
  const work = async (): Promise<void> => {
    for (let at = next++; at < items.length; at = next++) results[at] = await step(items[at] as T, at);
  };
  await Promise.all(Array.from({ length: AT_ONCE }, work));
  return results;
}

/** Requires that the SDK reads the expected result from the bytes, over HTTP and in random chunks. */
async function isJudgedEqual(target: JudgedDialect, { response }: Answer, url: string): Promise<void> {
  const judge = JUDGES[target];
  if (response.error !== undefined) {
    // Most SDKs throw; one returns the answer with a failed status.
    const finish = await judge.runSdk(url).then(
      (judgement) => judgement.finish,
      () => "failed",
    );
    expect(finish, "the SDK takes a failure for an answer").toBe("failed");
    return;
  }
  const { raw: _, ...verdict } = await judge.runSdk(url);
  assertNoDifferences(
    findDifferences(expectedResult(response, dialect(target), judge), verdict),
    "The SDK reads another answer.",
  );
}

async function outcomesOf(
  source: Dialect,
  target: JudgedDialect,
  streams: readonly RecordedStream[],
): Promise<CheckOutcome[]> {
  const to = dialect(target);
  const answers = streams.flatMap((stream) => answersIn(source, stream));
  const bytes = new Map<number, Uint8Array>();
  const squares = answers.map((answer, index) =>
    runCheck(answer.name, "square", () => {
      bytes.set(index, formatStream(to, encodeDeltas(to, answer.deltas).events));
      expectStreamedEqualsWhole(to, answer.deltas, answer.response);
    }),
  );
  await using server = await streamServer(bytes);
  const judged = await inParallel(answers, (answer, index) =>
    runCheck(answer.name, "judge", () => isJudgedEqual(target, answer, `${server.url}/stream-${index}`)),
  );
  return [...(await Promise.all(squares)), ...judged];
}

/** Declares the tests of one target, and prints a line of counts for each source at the end. */
export function describeRecordedEncoding(target: JudgedDialect, exceptions: readonly ExpectedFailure[]): void {
  describeStreams((recorded) => {
    const lines: string[] = [];
    const seen: CheckOutcome[] = [];
    describe.each([...recorded])("%s", (source, streams) => {
      test(`streams to ${target}: the same answer as the complete response, also for the SDK`, async () => {
        expect(dialect(source).supports).toContain("streams");
        const outcomes = await outcomesOf(dialect(source), target, streams);
        seen.push(...outcomes);
        const countPassed = (check: string): number =>
          outcomes.filter((each) => each.check === check && each.failure === undefined).length;
        const excused = outcomes.filter(({ failure }) => failure !== undefined).length;
        lines.push(
          `${source.padEnd(16)} → ${target.padEnd(16)} ${String(streams.length).padStart(4)} streams ` +
            `${String(countPassed("square")).padStart(4)} equal ${String(countPassed("judge")).padStart(4)} judged equal ` +
            `${String(excused).padStart(3)} exceptions`,
        );
        expectOutcomes(outcomes, exceptions);
      });
    });
    test.skipIf(isQuickRun)(`every exception of ${target} is about a stream`, () => {
      expect(listUnusedRows(seen, exceptions)).toStrictEqual([]);
    });
    afterAll(() => console.log(lines.join("\n")));
  });
}
