// Events that no protocol knows: a stream keeps them and says them again; a whole answer leaves them out and tells. And a
// body that is no event at all, where a stream was asked for.
import { describe, expect, test } from "vitest";
import type { Response } from "../../src/index.ts";
import { assemble, dialect } from "../../src/index.ts";
import { decodeEvents, encodeDeltas } from "../../src/testkit/stream-reading.ts";

const NEW = { type: "aurora", sky: { green: true } };

/** A stream with an event that nobody knows, by dialect. */
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
  const answer: Response = assemble(decodeEvents(dialect(id), events));

  test("B43: an event that nobody knows is kept on the answer, and said again", () => {
    expect(answer.extra?.[id]?.["$events"]).toStrictEqual([unknown]);
    const again = encodeDeltas(dialect(id), decodeEvents(dialect(id), events));
    // Some number their events.
    expect(again.events.map(({ data }) => data)).toContainEqual(expect.objectContaining(unknown));
    expect(again.losses.filter(({ level }) => level === "loss")).toStrictEqual([]);
  });

  test("a whole answer leaves it out, and tells", () => {
    const { wire, losses } = dialect(id).encodeResponse(answer);
    expect(wire).not.toHaveProperty("$events");
    expect(losses.map(({ code, path }) => [code, path])).toContainEqual(["field-unsaid", `/extra/${id}/$events`]);
  });

  test("B43: a field of that name is a field like any other", () => {
    const { $events: _, ...own } = answer.extra?.[id] ?? {};
    const { wire } = dialect(id).encodeResponse({ ...answer, extra: { [id]: own } });
    const odd = { ...(wire as object), $events: [1], $form$events: 2, $form: 3 };
    const back = dialect(id).encodeResponse(dialect(id).decodeResponse(odd));
    expect(back).toMatchObject({ wire: { $events: [1], $form$events: 2, $form: 3 }, losses: [] });
  });
});

test.each(["anthropic", "gemini", "bedrock"])("B74: a body that is no event is an error: %s", (id) => {
  const body = { message: "Out of credits.", requestId: 7 };
  const deltas = decodeEvents(dialect(id), [body]);
  expect(deltas.map(({ kind }) => kind)).toStrictEqual(["start", "error"]);
  const { message } = body;
  expect(deltas.at(-1)).toMatchObject({ payload: { errorCode: "quota", message, raw: body } });
});

test.each(["anthropic", "bedrock"])("B73: events that nobody knows, and nothing else, are no answer: %s", (id) => {
  const last = decodeEvents(dialect(id), [NEW, NEW]).at(-1);
  expect(last).toMatchObject({
    kind: "error",
    payload: { errorCode: "truncated", extra: { [id]: { $events: [NEW, NEW] } } },
  });
});
