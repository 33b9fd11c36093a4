// Streams of the run shape. Its event is Koine's own delta with a stamp: reading keeps the stamp, so that the order and
// the run can still be checked, and writing puts one on what has none. What the contract has no word for is residue.
import type { Field } from "../../assembly/payload-fields.ts";
import { DELTA_FIELDS, fields } from "../../assembly/payload-fields.ts";
import type { Delta, MessageDelta, StartPayload } from "../../model/delta.ts";
import type { JsonValue } from "../../model/json.ts";
import type { DecodeContext, EncodeStreamOptions, EventDecoder, StreamEncoder } from "../dialect.ts";
import { isObject, readObject } from "../kit/read.ts";
import { truncated } from "../kit/streams.ts";
import { timeOf } from "./encode.ts";
import { check, payloadOf } from "./fields.ts";
import type { RunEncodeContext, RunLoss } from "./losses.ts";
import { readDelta, writeDelta } from "./stream-residue.ts";

const EVENT = fields({ kind: "string" }, { runId: "string", seq: "number", timestamp: "string" });

/** What stands beside a delta's kind and payload. */
const BESIDE = ["runId", "seq", "timestamp", "providerRaw"] as const;

export function deltaDecoder(context: DecodeContext): EventDecoder {
  let isOpen = false;
  return {
    push(wire) {
      if (wire === "[DONE]") return [];
      const delta = decodeDelta(wire, context);
      if (delta.kind === "start") isOpen = true;
      if (delta.kind === "done" || delta.kind === "error") isOpen = false;
      return [delta];
    },
    end(reason = truncated()) {
      const isCut = isOpen;
      isOpen = false;
      return isCut ? [reason] : [];
    },
  };
}

function decodeDelta(wire: unknown, context: DecodeContext): Delta {
  const { dialect } = context;
  const at = (...steps: string[]): DecodeContext => ({
    ...context,
    fail: (code, message, field) => {
      for (const step of steps) context.pathTracker.enter(step);
      return context.fail(code, message, field);
    },
  });
  const event = readObject(wire, at());
  check(event, EVENT, at());
  const known = DELTA_FIELDS.get(event["kind"]);
  if (known !== undefined) {
    const payload = payloadOf(event, at());
    const { extra } = payload;
    if (isObject(extra)) {
      const dialects = Object.keys(extra).map((name): Field => ({ name, type: "object", required: true }));
      check(extra, dialects, at("payload", "extra"));
    }
    check(payload, known.all, at("payload"));
  }
  const delta = readDelta(event, dialect);
  for (const field of BESIDE) {
    const value = event[field];
    // A stamp that is null is none; what a provider said may be anything.
    if (value !== undefined && (value !== null || field === "providerRaw")) Object.assign(delta, { [field]: value });
  }
  return delta;
}

/** Deltas that have a stamp keep it, unless the options ask for another run or another clock. */
export function deltaEncoder(
  { dialect, report }: RunEncodeContext,
  { runId, clock }: EncodeStreamOptions,
): Omit<StreamEncoder, "losses"> {
  let known: { runId?: string; timestamp?: string } = {};
  let next = 0;
  /** Once a stream, not once a delta. */
  const loseOnce = (code: RunLoss, field: string): void => {
    if (!report.losses.some((loss) => loss.code === code)) report.addLoss(code, field);
  };
  return {
    push(delta: Delta | MessageDelta) {
      const own: Partial<MessageDelta> = delta;
      if (delta.kind === "start") known = startStamp(delta.payload);
      const run = runId ?? own.runId ?? known.runId ?? "";
      if (run === "") loseOnce("run-id-synthesized", "id");
      const timestamp = clock === undefined ? (own.timestamp ?? known.timestamp) : timeOf(clock);
      if (timestamp === undefined) loseOnce("timestamp-synthesized", "createdAt");
      const seq = runId === undefined ? (own.seq ?? next) : next;
      next = seq + 1;
      const data = Object.assign(writeDelta(delta, dialect), {
        runId: run,
        seq,
        timestamp: timestamp ?? timeOf(clock),
      });
      // JSON, like everything in the model.
      if (delta.providerRaw !== undefined) data.providerRaw = delta.providerRaw as JsonValue;
      return [{ data }];
    },
    end: () => [],
  };
}

function startStamp({ requestId, createdAt }: StartPayload): { runId: string; timestamp?: string } {
  return createdAt === undefined ? { runId: requestId } : { runId: requestId, timestamp: createdAt };
}
