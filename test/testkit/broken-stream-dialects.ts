// Faults of stream decoders and encoders: each row breaks a correct dialect in one way that the suite must detect.
import type { Delta, Dialect, Loss, ModelResponse, StreamDecoder, StreamEncoder, WireEvent } from "../../src/index.ts";
import { DialectError } from "../../src/index.ts";
import type { DialectFaultRow } from "./dialect-faults.ts";
import { without } from "./broken-message-dialects.ts";

type Fault = DialectFaultRow[2];

/** Changes the deltas of the decoder. */
function changesDeltas(change: (deltas: Delta[], event: unknown) => Delta[], end = change): Fault {
  return (good) => ({
    streamDecoder: (options) => {
      const decoder = good.streamDecoder(options);
      return { push: (event) => change(decoder.push(event), event), end: () => end(decoder.end(), undefined) };
    },
  });
}
function changesEachDelta(change: (delta: Delta) => Delta | undefined): Fault {
  return changesDeltas((deltas) => deltas.flatMap((delta) => change(delta) ?? []));
}
/** Wraps the decoder of each stream. */
function wrapsDecoder(make: (good: StreamDecoder) => StreamDecoder): Fault {
  return (good) => ({ streamDecoder: (options) => make(good.streamDecoder(options)) });
}
/** Changes the events of the encoder. */
function changesEvents(change: (events: WireEvent[], delta: Delta) => WireEvent[]): Fault {
  return (good) => ({
    streamEncoder: (options) => {
      const encoder = good.streamEncoder(options);
      return { ...encoder, push: (delta) => change(encoder.push(delta), delta) };
    },
  });
}
function changesEachEvent(change: (data: Record<string, unknown>) => object | undefined): Fault {
  return changesEvents((events) =>
    events.flatMap(({ data }) => {
      const changed = change(data as Record<string, unknown>);
      return changed === undefined ? [] : [{ data: changed }];
    }),
  );
}
function reports(change: (losses: readonly Loss[]) => Loss[]): Fault {
  return (good) => ({
    streamEncoder: (options) => {
      const encoder: StreamEncoder = good.streamEncoder(options);
      return {
        push: (delta) => encoder.push(delta),
        end: () => encoder.end(),
        get losses() {
          return change(encoder.losses);
        },
      };
    },
  });
}
const textDelta = (textDelta: string): Delta => ({ kind: "text", payload: { textDelta } });
const LOSS: Loss = {
  path: "",
  action: "dropped",
  level: "loss",
  code: "field-unsupported",
  message: "It was so before.",
};
const DONE: Delta = { kind: "done", payload: { finishReason: "stop" } };
let count = 0;

function changeText({ kind, payload }: Delta, change: (text: string) => string): Delta | undefined {
  return kind === "text" ? { kind, payload: { ...payload, textDelta: change(payload.textDelta) } } : undefined;
}

const READING_FAULTS: readonly DialectFaultRow[] = [
  [
    "drops the start",
    /a stream: decodes to legal/,
    changesEachDelta((delta) => (delta.kind === "start" ? undefined : delta)),
  ],
  [
    "mutates its events",
    /a stream: decodes to legal/,
    changesDeltas((deltas, event) => {
      if (typeof event === "object" && event !== null) Object.assign(event, { seen: true });
      return deltas;
    }),
  ],
  ["forgets the end", /one end/, changesEachDelta((delta) => (delta.kind === "done" ? undefined : delta))],
  [
    "decodes an error as a normal end",
    /a failure: has one end/,
    changesEachDelta((delta) => (delta.kind === "error" ? DONE : delta)),
  ],
  [
    "decodes a missing end as a normal end",
    /breaks off: has one end/,
    changesDeltas(
      (deltas) => deltas,
      (deltas) => deltas.map((delta) => (delta.kind === "error" ? DONE : delta)),
    ),
  ],
  ["emits no deltas", /one end/, changesDeltas(() => [])],
  [
    "decodes bytes differently from events",
    /any chunk boundaries/,
    changesDeltas((deltas, event) => (event instanceof Uint8Array ? [...deltas, ...deltas.slice(1, 2)] : deltas)),
  ],
  [
    "emits a delta for each chunk of bytes",
    /any chunk boundaries/,
    wrapsDecoder((good) => {
      let isBegun = false;
      return {
        push(event) {
          const deltas = good.push(event);
          const more = isBegun && event instanceof Uint8Array ? [textDelta("")] : [];
          isBegun ||= deltas.length > 0;
          return [...more, ...deltas];
        },
        end: () => good.end(),
      };
    }),
  ],
  [
    "decodes each chunk of bytes as complete characters",
    /any chunk boundaries/,
    (good) => ({
      streamDecoder: (options) => {
        const decoder = good.streamDecoder(options);
        const read = (event: unknown): unknown =>
          event instanceof Uint8Array ? new TextDecoder().decode(event) : event;
        return { push: (event) => decoder.push(read(event)), end: () => decoder.end() };
      },
    }),
  ],
  [
    "emits a normal end for a truncated stream",
    /a stream: B73/,
    changesDeltas(
      (deltas) => deltas,
      (deltas) => deltas.map((delta) => (delta.kind === "error" ? DONE : delta)),
    ),
  ],
  [
    "reports another error for a truncated stream",
    /a stream: B73/,
    changesDeltas(
      (deltas) => deltas,
      (deltas) => deltas.map((d) => (d.kind === "error" ? { ...d, payload: { errorCode: "quota" } } : d)),
    ),
  ],
  [
    "emits additional deltas for a truncated stream",
    /a stream: B73/,
    changesDeltas(
      (deltas) => deltas,
      (deltas) => deltas.flatMap((delta) => (delta.kind === "error" ? [textDelta(" (cut)"), delta] : [delta])),
    ),
  ],
  [
    "emits no end for a truncated stream",
    /a stream: B73/,
    changesDeltas(
      (deltas) => deltas,
      () => [],
    ),
  ],
  [
    "has global state",
    /twice gives the same result/,
    changesEachDelta((delta) => changeText(delta, (text) => `${text}${count++}`) ?? delta),
  ],
  [
    "drops new fields",
    /a new field/,
    changesEachDelta((delta) => ({ ...delta, payload: without(delta.payload, "extra") }) as Delta),
  ],
  [
    "rejects new fields",
    /a new field/,
    changesDeltas((deltas, event) => {
      if (JSON.stringify(event)?.includes("brand_new"))
        throw new DialectError("plain", "", "wrong-type", "Not known here.");
      return deltas;
    }),
  ],
  [
    "drops unknown events",
    /a new event/,
    wrapsDecoder((good) => ({
      push: (event) => (JSON.stringify(event)?.includes("brand_new_event") ? [] : good.push(event)),
      end: () => good.end(),
    })),
  ],
  [
    "crashes on invalid values",
    /missing or invalid/,
    changesDeltas((deltas, event) => {
      if (Object(event).at === null) throw new TypeError("Cannot read properties of null");
      return deltas;
    }),
  ],
  [
    "rejects invalid values",
    /missing or invalid/,
    changesDeltas((deltas, event) => {
      if (Object(event).at === null) throw new DialectError("plain", "", "wrong-type", "That is no place.");
      return deltas;
    }),
  ],
  [
    "emits a start for each start event",
    /reordered event/,
    wrapsDecoder((good) => {
      let last: Delta[] = [];
      return {
        push(event) {
          const deltas = good.push(event);
          if (deltas[0]?.kind === "start") last = deltas;
          const isAgain = deltas.length === 0 && Object(event).begin !== undefined;
          return isAgain ? last : deltas;
        },
        end: () => good.end(),
      };
    }),
  ],
];

/** Encodes the whole answer otherwise. */
function wholes(change: (response: ModelResponse) => ModelResponse): Fault {
  return (good: Dialect) => ({ encodeResponse: (response, options) => good.encodeResponse(change(response), options) });
}

const WRITING_FAULTS: readonly DialectFaultRow[] = [
  ["loses a block", /equal answer/, changesEachEvent((data) => (data["at"] === 2 ? undefined : data))],
  ["drops data of its own dialect and reports a loss", /equal answer/, reports((losses) => [...losses, LOSS])],
  [
    "writes an invalid stream",
    /equal answer/,
    changesEvents((events, { kind }) => (kind === "start" ? [...events, ...events, { data: { end: {} } }] : events)),
  ],
  [
    "writes different bytes each time",
    /twice gives the same result/,
    changesEachEvent((data) => ({ ...data, count: count++ })),
  ],
  [
    "mutates the deltas",
    /does not modify the deltas/,
    changesEvents((events, delta) => {
      Object.assign(delta.payload, { seen: true });
      return events;
    }),
  ],
  [
    "mutates nested values of the deltas",
    /does not modify it/,
    changesEvents((events, delta) => {
      if (delta.kind === "done") delta.payload.finishReason = "stop";
      return events;
    }),
  ],
  ["loses the counts", /B80/, changesEachEvent((data) => (data["counts"] === undefined ? data : undefined))],
  ["drops fields of a complete answer", /B80/, wholes((response) => without(response, "usage"))],
  [
    "drops an error",
    /ended by error: B80/,
    changesEachEvent((data) => (data["problem"] === undefined ? data : { end: {} })),
  ],
  [
    "reports another error",
    /an error with every field: B80/,
    changesEachEvent((data) =>
      data["problem"] === undefined ? data : { problem: { of: "quota", text: "Too many questions." } },
    ),
  ],
  [
    "changes the message of an error",
    /an error with every field: B80/,
    changesEachEvent((data) => (data["problem"] === undefined ? data : { problem: { of: "rate-limit", text: "No." } })),
  ],
  [
    "continues after an error",
    /an error with every field: B80/,
    changesEvents((events, { kind }) =>
      kind === "error" ? [{ data: { at: 9, add: "And so on." } }, ...events] : events,
    ),
  ],
  [
    "splits one answer into two",
    /B80/,
    changesEvents((events, { kind }) => (kind === "done" ? [...events, ...events] : events)),
  ],
  ["reports no loss", /has the losses of the whole/, reports(() => [])],
  ["reports one loss of many", /has the losses of the whole/, reports((losses) => losses.slice(0, 1))],
  ["reports a loss twice", /has the losses of the whole/, reports((losses) => [...losses, ...losses.slice(0, 1)])],
  ["reports an undeclared loss", /declared codes/, reports((losses) => [...losses, { ...LOSS, code: "new" }])],
  [
    "reports a loss with a missing path",
    /existing paths/,
    reports((losses) => [...losses, { ...LOSS, path: "/nowhere" }]),
  ],
];

export const STREAM_FAULTS: readonly DialectFaultRow[] = [...READING_FAULTS, ...WRITING_FAULTS];
