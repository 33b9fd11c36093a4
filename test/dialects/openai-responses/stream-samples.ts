// Invented Responses streams: every kind of event and item, every status, and vendors' variants.
import type { StreamSample } from "../../../src/testkit/index.ts";
import { toolStreams } from "./stream-tool-samples.ts";
import type { WireEventBody } from "./stream-events.ts";
import {
  added,
  argumentEvents,
  responseBody,
  done,
  functionCall,
  message,
  withSequenceNumbers,
  outputText,
  messageEvents,
  stream,
  textEvents,
} from "./stream-events.ts";

const vega = message("msg_1", [outputText("Vega 🌟 is bright.")]);
const vegaEvents = messageEvents(0, "msg_1", "Vega", " 🌟 is", " bright.");

const citedText = outputText("See Vega 🌟 and Deneb.", {
  annotations: [
    { type: "url_citation", url: "https://stars.example/vega", title: "Vega", start_index: 4, end_index: 10 },
    { type: "url_citation", url: "https://stars.example/deneb", title: "Deneb", start_index: 15, end_index: 20 },
    { type: "file_citation", file_id: "file_1", filename: "stars.txt", index: 20 },
  ],
  logprobs: [
    { token: "See", logprob: -0.25, bytes: [83, 101, 101], top_logprobs: [] },
    { token: " Vega", logprob: -1.5, bytes: [32], top_logprobs: [{ token: " Altair", logprob: -2, bytes: [33] }] },
  ],
});
const [, ...citedEvents] = textEvents(0, "msg_1", 0, [], citedText);
const place = { output_index: 0, item_id: "msg_1", content_index: 0 };
const textDelta = (delta: string, logprobs: unknown): WireEventBody => ({
  type: "response.output_text.delta",
  ...place,
  delta,
  logprobs,
});
const cite = (annotation_index: number): WireEventBody => ({
  type: "response.output_text.annotation.added",
  ...place,
  annotation_index,
  annotation: (citedText["annotations"] as WireEventBody[])[annotation_index],
});
const logprobs = citedText["logprobs"] as WireEventBody[];

const refusal: WireEventBody = { type: "refusal", refusal: "I would rather not." };

const reasoning: WireEventBody = {
  id: "rs_1",
  type: "reasoning",
  summary: [
    { type: "summary_text", text: "**Stars**\n\nHm." },
    { type: "summary_text", text: "So." },
  ],
  content: [{ type: "reasoning_text", text: "Which star?" }],
  encrypted_content: "sealed-again",
};
const reasoningDone = (summary_index: number, textDeltas: readonly string[]): WireEventBody[] => {
  const where = { output_index: 0, item_id: "rs_1", summary_index };
  const text = textDeltas.join("");
  return [
    { type: "response.reasoning_summary_part.added", ...where, part: { type: "summary_text", text: "" } },
    ...textDeltas.map((delta) => ({ type: "response.reasoning_summary_text.delta", ...where, delta })),
    { type: "response.reasoning_summary_text.done", ...where, text },
    { type: "response.reasoning_summary_part.done", ...where, part: { type: "summary_text", text } },
  ];
};
const reasoningEvents: WireEventBody[] = [
  added(0, { id: "rs_1", type: "reasoning", summary: [], encrypted_content: "sealed" }),
  { type: "response.reasoning_text.delta", output_index: 0, item_id: "rs_1", content_index: 0, delta: "Which " },
  { type: "response.reasoning_text.delta", output_index: 0, item_id: "rs_1", content_index: 0, delta: "star?" },
  { type: "response.reasoning_text.done", output_index: 0, item_id: "rs_1", content_index: 0, text: "Which star?" },
  ...reasoningDone(0, ["**Stars**", "\n\nHm."]),
  ...reasoningDone(1, ["So."]),
  done(0, { ...reasoning, encrypted_content: "sealed-first" }),
];

const look = functionCall("fc_1", "call_1", "look_up");
const rise = functionCall("fc_2", "call_2", "rise_at");
const lookEvents = argumentEvents(0, look, "arguments", "function_call_arguments", ['{"star":', '"Vega"}']);
const riseEvents = argumentEvents(1, rise, "arguments", "function_call_arguments", ['{"n":', "12345678901234567890}"]);
/** Events of two calls in turn. */
const interleaved = lookEvents.flatMap((event, index) => [event, riseEvents[index] as WireEventBody]);
const lookDone = { ...look, arguments: '{"star":"Vega"}' };
const riseDone = { ...rise, arguments: '{"n":12345678901234567890}' };

const cutCall = { ...look, status: "incomplete", arguments: '{"star":"Ve' };
const cutEvents: WireEventBody[] = [
  added(0, { ...look, status: "in_progress" }),
  { type: "response.function_call_arguments.delta", output_index: 0, item_id: "fc_1", delta: '{"star":"Ve' },
  done(0, cutCall),
];
const length = { status: "incomplete", incomplete_details: { reason: "max_output_tokens" } };
const failure = { code: "server_error", message: "The sky fell." };
const failed = { status: "failed", error: failure, usage: null };
const errorEvent: WireEventBody = {
  type: "error",
  error: { type: "server_error", code: "server_error", message: "The sky fell.", param: null },
};

const second = (events: readonly WireEventBody[]): WireEventBody[] =>
  events.map((event) =>
    "response" in event ? { ...event, response: { ...(event["response"] as WireEventBody), id: "resp_2" } } : event,
  );

export const streamSamples: readonly StreamSample[] = [
  { name: "a text", events: stream([vegaEvents], [vega]) },
  {
    name: "a text with citations and log probabilities",
    events: stream(
      [
        [
          added(0, message("msg_1", [], { status: "in_progress" })),
          { type: "response.content_part.added", ...place, part: outputText("") },
          textDelta("See", logprobs.slice(0, 1)),
          textDelta(" Vega 🌟", logprobs.slice(1)),
          cite(0),
          textDelta(" and Den", []),
          cite(1),
          textDelta("eb.", []),
          cite(2),
          ...citedEvents.slice(-2).map((event) => ("text" in event ? { ...event, text: citedText["text"] } : event)),
          done(0, message("msg_1", [citedText])),
        ],
      ],
      [message("msg_1", [citedText])],
    ),
  },
  {
    name: "a text and a refusal in one message, and another message",
    events: stream(
      [
        [
          added(0, message("msg_1", [], { status: "in_progress", phase: "commentary" })),
          ...textEvents(0, "msg_1", 0, ["Well."]),
          { type: "response.content_part.added", ...place, content_index: 1, part: { type: "refusal", refusal: "" } },
          { type: "response.refusal.delta", ...place, content_index: 1, delta: "I would " },
          { type: "response.refusal.delta", ...place, content_index: 1, delta: "rather not." },
          { type: "response.refusal.done", ...place, content_index: 1, refusal: "I would rather not." },
          { type: "response.content_part.done", ...place, content_index: 1, part: refusal },
          done(0, message("msg_1", [outputText("Well."), refusal], { phase: "commentary" })),
        ],
        messageEvents(1, "msg_2", "Bye."),
      ],
      [
        message("msg_1", [outputText("Well."), refusal], { phase: "commentary" }),
        message("msg_2", [outputText("Bye.")]),
      ],
    ),
  },
  {
    name: "reasoning with summaries, whose seal is replaced at the end",
    events: stream(
      [reasoningEvents, messageEvents(1, "msg_1", "Vega.")],
      [reasoning, message("msg_1", [outputText("Vega.")])],
    ),
  },
  { name: "two calls at the same time", events: stream([interleaved], [lookDone, riseDone]) },
  ...toolStreams,
  { name: "a call that is cut off", events: stream([cutEvents], [cutCall], length) },
  { name: "a whole call at the end of a cut answer", events: stream([lookEvents], [lookDone], length) },
  {
    name: "a failed answer with a repeated error",
    events: stream([vegaEvents, [errorEvent]], [vega], failed),
    ends: "error",
  },
  { name: "an answer that failed", events: stream([vegaEvents.slice(0, 4)], [], failed), ends: "error" },
  {
    name: "two answers",
    events: [
      ...stream([lookEvents], [lookDone]),
      ...second(
        stream(
          [argumentEvents(0, rise, "arguments", "function_call_arguments", ["{}"])],
          [{ ...rise, arguments: "{}" }],
        ),
      ),
    ],
  },
  { name: "only the last event", events: stream([], [reasoning, vega, lookDone]) },
  {
    name: "items in their done events only",
    events: stream([[done(0, reasoning), done(1, vega), done(2, lookDone)]], []),
  },
  {
    name: "deltas without a start event",
    events: stream([vegaEvents.filter(({ type }) => String(type).endsWith("text.delta"))], [vega]),
  },
  {
    name: "a queued answer with a heartbeat, an unknown event and an unknown field",
    events: withSequenceNumbers([
      { type: "response.queued", response: responseBody({ status: "queued", usage: null }) },
      { type: "keepalive" },
      ...vegaEvents,
      { type: "response.star.twinkled", star: "Vega" },
      { type: "response.completed", response: responseBody({ output: [vega] }), stars_used: 1 },
    ]),
  },
  { name: "a whole answer instead of a stream", events: [responseBody({ output: [vega, lookDone] })] },
];

/** Streams that do not end with an event of this dialect: they are encoded as failed answers. */
export const brokenSamples: readonly StreamSample[] = [
  { name: "only an error", events: [errorEvent], ends: "error" },
  {
    name: "an error in plain fields",
    events: withSequenceNumbers([{ type: "error", code: "rate_limit_exceeded", message: "Slow.", param: null }]),
    ends: "error",
  },
  {
    name: "an error instead of a stream",
    events: [
      { error: { message: "No such model.", type: "invalid_request_error", param: null, code: "model_not_found" } },
    ],
    ends: "error",
  },
  { name: "an answer that breaks off", events: stream([vegaEvents], [vega]).slice(0, 6), ends: "truncated" },
];
