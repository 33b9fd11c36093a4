// Unknown stream events: a stream stores and encodes them, a whole answer drops them with a loss; and a body that is not an
// event.
import { describe, expect, test } from "vitest";
import type { ModelResponse } from "../../../src/index.ts";
import { assemble, dialect } from "../../../src/index.ts";
import { decodeEvents, encodeDeltas } from "../../../src/testkit/checks/stream-helpers.ts";

const NEW = { type: "aurora", sky: { green: true } };

/** Streams with an unknown event, by dialect. */
const STREAMS: readonly [id: string, unknown: object, events: object[]][] = [
  [
    "anthropic",
    NEW,
    [
      { type: "message_start", message: { id: "msg_1", model: "m", content: [] } },
      NEW,
      { type: "message_delta", delta: { stop_reason: "end_turn" } },
      { type: "message_stop" },
    ],
  ],
  [
    "gemini",
    { candidates: 7 },
    [{ candidates: 7 }, { candidates: [{ content: { role: "model", parts: [{ text: "a" }] }, finishReason: "STOP" }] }],
  ],
  ["bedrock", NEW, [{ messageStart: { role: "assistant" } }, NEW, { messageStop: { stopReason: "end_turn" } }]],
  [
    "openai-responses",
    NEW,
    [
      { type: "response.created", response: { id: "resp_1", status: "in_progress", output: [] } },
      NEW,
      { type: "response.completed", response: { id: "resp_1", status: "completed", output: [] } },
    ],
  ],
];

describe.each(STREAMS)("%s", (id, unknown, events) => {
  const answer: ModelResponse = assemble(decodeEvents(dialect(id), events));

  test("B43: an unknown event is stored on the answer and encoded again", () => {
    expect(answer.extra?.[id]?.["$events"]).toStrictEqual([unknown]);
    const again = encodeDeltas(dialect(id), decodeEvents(dialect(id), events));
    // Some number their events.
    expect(again.events.map(({ data }) => data)).toContainEqual(expect.objectContaining(unknown));
    expect(again.losses.filter(({ level }) => level === "loss")).toStrictEqual([]);
  });

  test("a whole answer drops it with a loss", () => {
    const { wire, losses } = dialect(id).encodeResponse(answer);
    expect(wire).not.toHaveProperty("$events");
    expect(losses.map(({ code, path }) => [code, path])).toContainEqual(["field-unsupported", `/extra/${id}/$events`]);
  });

  test("B43: a wire field with the name of the residue key is an ordinary field", () => {
    const { $events: _, ...own } = answer.extra?.[id] ?? {};
    const { wire } = dialect(id).encodeResponse({ ...answer, extra: { [id]: own } });
    const odd = { ...(wire as object), $events: [1], $form$events: 2, $form: 3 };
    const back = dialect(id).encodeResponse(dialect(id).decodeResponse(odd));
    expect(back).toMatchObject({ wire: { $events: [1], $form$events: 2, $form: 3 }, losses: [] });
  });
});

test.each(["anthropic", "gemini", "bedrock"])("B74: a body that is not an event is an error: %s", (id) => {
  const body = { message: "Out of credits.", requestId: 7 };
  const deltas = decodeEvents(dialect(id), [body]);
  expect(deltas.map(({ kind }) => kind)).toStrictEqual(["start", "error"]);
  const { message } = body;
  expect(deltas.at(-1)).toMatchObject({ payload: { errorCode: "quota", message, raw: body } });
});

test.each(["anthropic", "bedrock"])("B73: a stream of unknown events only is not an answer: %s", (id) => {
  const last = decodeEvents(dialect(id), [NEW, NEW]).at(-1);
  expect(last).toMatchObject({
    kind: "error",
    payload: { errorCode: "truncated", extra: { [id]: { $events: [NEW, NEW] } } },
  });
});
