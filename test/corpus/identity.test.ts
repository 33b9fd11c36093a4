// Recorded conversations that clients send back: the ledger finds the thread of each.
import { describe, expect, test } from "vitest";
import type { Message, Part, ModelResponse, ToolCallPart } from "../../src/index.ts";
import { dialect, toolResult, user } from "../../src/index.ts";
import { toHistory } from "../../src/ledger/identity/history-turns.ts";
import { toNormalForm } from "../../src/ledger/identity/normal-form.ts";
import { assertHolds } from "../../src/testkit/conformance-case.ts";
import { REQUEST_CODEC } from "../../src/testkit/checks/payload-codec.ts";
import { assembleAnswers, decodeEvents } from "../../src/testkit/checks/stream-helpers.ts";
import { CLIENTS, type EchoingClient, ECHO_MODES, copyJson } from "../ledger/support/stateless-clients.ts";
import { checkAll, describeBodies, describeStreams } from "../support/corpus.ts";
import type { CheckOutcome, ExpectedFailure } from "../support/expected-failures.ts";
import { expectOutcomes, listUnusedRows, runCheck } from "../support/expected-failures.ts";
import { isQuickRun, scaleMinimum } from "../support/quick-run.ts";
import { RECORDED_DIALECTS } from "./dialects.ts";

interface Recorded<T> {
  name: string;
  value: T;
}

function digestOf(messages: readonly Message[]): string {
  return toHistory(messages).turns.at(-1)?.digest ?? "";
}

/** The normal forms of the turns, to show where two histories part. */
function formsOf({ turns, messages }: ReturnType<typeof toHistory>): string[] {
  return turns.map(({ from, to }) => toNormalForm(messages.slice(from, to), []).slice(0, 300));
}

function demandSame(was: readonly Message[], is: readonly Message[]): void {
  const [before, after] = [toHistory(was), toHistory(is)];
  const isSame = before.turns.at(-1)?.digest === after.turns.at(-1)?.digest;
  assertHolds(isSame, "It is another conversation.", formsOf(before), formsOf(after));
}

const QUESTION = "What is the answer?";

function echoes(client: EchoingClient, manner: (typeof ECHO_MODES)[number], response: ModelResponse): void {
  const answer = client.answer(response, manner);
  const echoed = client.read([client.user(QUESTION), ...answer]);
  demandSame([user(QUESTION), response.message], echoed);
}

function isPlainCall(part: Part): part is ToolCallPart {
  if (part.type !== "tool-call" || part.executor === "provider" || part.invalid === true) return false;
  return part.tool === undefined && part.format !== "text";
}

/** Clients send results when they have them: if calls have ids, the result of the last call is first here. */
function answersCalls(client: EchoingClient, response: ModelResponse): void {
  const answer = client.answer(response, "whole");
  const outputs = client.calls(answer).map((call, at) => ({ call, output: `Result ${at}.` }));
  const hasIds = outputs.every(({ call }) => Object.keys(call).some((key) => /id$/i.test(key)));
  const ordered = hasIds ? outputs.toReversed() : outputs;
  const results = ordered.flatMap(({ call, output }) => client.result(call, output));
  const echoed = client.read([client.user(QUESTION), ...answer, ...results]);
  const expected = response.message.parts
    .filter(isPlainCall)
    .map((call, at) => toolResult(call, outputs[at]?.output ?? "There is no such call."));
  demandSame([user(QUESTION), response.message, ...expected], echoed);
}

const ANSWER_EXCEPTIONS: readonly ExpectedFailure[] = ["openai-chat", "anthropic", "gemini", "bedrock"].flatMap((id) =>
  ECHO_MODES.map((manner) => ({
    streams: /vercel--openai-mcp-tool-approval\.[13]\./,
    check: `${id}, ${manner}`,
    reason: "An approval request of the provider: this dialect does not support it, so it is not echoed.",
  })),
);

function describeAnswers(what: string, recorded: readonly Recorded<ModelResponse>[]): void {
  describe(`a recorded ${what}`, () => {
    const seen: CheckOutcome[] = [];
    test("exists", () => {
      expect(recorded.length).toBeGreaterThan(scaleMinimum(400));
    });
    test.each(CLIENTS.flatMap((client) => ECHO_MODES.map((manner) => [client.dialect, manner, client] as const)))(
      "B11: echoed by a client of %s, %s, keeps its digest",
      async (id, manner, client) => {
        const check = `${id}, ${manner}`;
        const all = recorded.map(({ name, value }) => runCheck(name, check, () => echoes(client, manner, value)));
        const outcomes = await Promise.all(all);
        seen.push(...outcomes);
        expectOutcomes(outcomes, ANSWER_EXCEPTIONS);
      },
    );
    test.each(CLIENTS.map((client) => [client.dialect, client] as const))(
      "B25: with results of a client of %s, in any order, keeps its digest",
      (_, client) => {
        const calling = recorded.filter(
          ({ value: { message } }) =>
            message.parts.some(isPlainCall) &&
            message.parts.every((part) => part.type !== "tool-call" || isPlainCall(part)),
        );
        checkAll(calling, ({ value }) => answersCalls(client, value));
      },
    );
    test.skipIf(isQuickRun)("matches every exception", () => {
      expect(listUnusedRows(seen, ANSWER_EXCEPTIONS)).toStrictEqual([]);
    });
  });
}

const HISTORY_EXCEPTIONS: readonly ExpectedFailure[] = [
  {
    streams: /lingua--anthropicMessageWithSystemMessage/,
    check: "gemini",
    reason: "Instructions within the conversation: this dialect has them only at the start, where they do not count.",
  },
  ...["lingua--documentContentParam", "lingua--bedrockDocumentCitationStreamingParam"].map((name) => ({
    streams: new RegExp(name),
    check: "openai-chat",
    reason: "A document of plain text, which this dialect has as text.",
  })),
  {
    streams:
      /openai-(?:chat\/requests\/lingua--multimodalRequest(?:--followup)?\.|responses\/requests\/lingua--multimodalRequest)/,
    check: "bedrock",
    reason: "An image at a URL, which this dialect does not support.",
  },
];

/** A history in the format of a client's dialect, decoded again. */
function retold(client: EchoingClient, request: ReturnType<typeof REQUEST_CODEC.decode>): Message[] {
  const target = dialect(client.dialect);
  if (!target.supports.has("requests")) {
    return target.decodeMessages(copyJson(target.encodeMessages(request.messages).wire));
  }
  const { wire, address } = target.encodeRequest(request);
  return target.decodeRequest(copyJson(wire), address === undefined ? {} : { address }).messages;
}

describeBodies((samplesOf) => {
  const answers = RECORDED_DIALECTS.flatMap((id) =>
    samplesOf(id, "responses").map(({ name, wire }) => ({ name, value: dialect(id).decodeResponse(wire) })),
  );
  describeAnswers("response", answers);

  describe("a recorded history", () => {
    const requests = RECORDED_DIALECTS.flatMap((id) =>
      samplesOf(id, "requests").map((sample) => ({
        name: sample.name,
        value: REQUEST_CODEC.decode(dialect(id), sample.wire, sample),
      })),
    );
    const seen: CheckOutcome[] = [];
    test("exists", () => {
      expect(requests.filter(({ value }) => digestOf(value.messages) !== "").length).toBeGreaterThan(scaleMinimum(200));
    });
    test.each(CLIENTS.map((client) => [client.dialect, client] as const))(
      "encoded in the format of %s, keeps its digest",
      async (id, client) => {
        const outcomes = await Promise.all(
          requests.map(({ name, value }) =>
            runCheck(name, id, () => demandSame(value.messages, retold(client, value))),
          ),
        );
        seen.push(...outcomes);
        expectOutcomes(outcomes, HISTORY_EXCEPTIONS);
      },
    );
    test.skipIf(isQuickRun)("matches every exception", () => {
      expect(listUnusedRows(seen, HISTORY_EXCEPTIONS)).toStrictEqual([]);
    });
  });
});

describeStreams((recorded) => {
  const answers = [...recorded].flatMap(([id, streams]) =>
    streams.flatMap(({ name, events }) =>
      assembleAnswers(decodeEvents(dialect(id), events)).map((value) => ({ name, value })),
    ),
  );
  describeAnswers("stream", answers);
});
