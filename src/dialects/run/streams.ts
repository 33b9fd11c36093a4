// Decodes and encodes streams of the run dialect. An event is a canonical delta with a stamp: run id, sequence number
// and time. The decoder preserves the stamp, so that callers can check order and run; the encoder adds a missing stamp.
// Unknown data becomes residue.
import type { PayloadField } from "../../assembly/payload-fields.ts";
import { DELTA_FIELDS, createFieldTable } from "../../assembly/payload-fields.ts";
import { withPartKey } from "../../model/delta-spelling.ts";
import type { Delta, MessageDelta, StartPayload } from "../../model/delta.ts";
import type { JsonValue } from "../../model/json/index.ts";
import type { DecodeContext, EncodeStreamOptions, EventDecoder, StreamEncoder } from "../dialect.ts";
import { isObject, readObject } from "../kit/fields/read-wire.ts";
import { createTruncatedDelta } from "../kit/streams/stream-deltas.ts";
import { formatClockTime } from "./encode.ts";
import { checkFields, readPayload } from "./fields.ts";
import type { RunEncodeContext, RunLossCode } from "./losses.ts";
import { ENVELOPE_FIELDS, toDelta, toWireDelta } from "./stream-residue.ts";

const EVENT = createFieldTable({ kind: "string" }, { runId: "string", seq: "number", timestamp: "string" });

export function createDeltaDecoder(context: DecodeContext): EventDecoder {
  let isOpen = false;
  return {
    push(wire) {
      if (wire === "[DONE]") return [];
      const delta = decodeDelta(wire, context);
      if (delta.kind === "start") isOpen = true;
      if (delta.kind === "done" || delta.kind === "error") isOpen = false;
      return [delta];
    },
    end(reason = createTruncatedDelta()) {
      const wasOpen = isOpen;
      isOpen = false;
      return wasOpen ? [reason] : [];
    },
  };
}

function decodeDelta(wire: unknown, context: DecodeContext): Delta {
  const { dialect } = context;
  const failingAt = (...steps: string[]): DecodeContext => ({
    ...context,
    fail: (code, message, field) => {
      for (const step of steps) context.pathTracker.enter(step);
      return context.fail(code, message, field);
    },
  });
  const event = withPartKey(readObject(wire, failingAt()));
  checkFields(event, EVENT, failingAt());
  const contract = DELTA_FIELDS.get(event["kind"]);
  if (contract !== undefined) {
    const payload = readPayload(event, failingAt());
    const { extra } = payload;
    if (isObject(extra)) {
      const dialects = Object.keys(extra).map((name): PayloadField => ({ name, type: "object", required: true }));
      checkFields(extra, dialects, failingAt("payload", "extra"));
    }
    checkFields(payload, contract.all, failingAt("payload"));
  }
  const delta = toDelta(event, dialect);
  for (const field of ENVELOPE_FIELDS) {
    const value = event[field];
    // A null run id, sequence number or time is treated as missing; `providerRaw` may have any value, including null.
    if (value !== undefined && (value !== null || field === "providerRaw")) Object.assign(delta, { [field]: value });
  }
  return delta;
}

/**
 * Creates an encoder that writes the run id, sequence number and time of each delta. The options `runId` and `clock`
 * replace the delta's own values.
 */
export function createDeltaEncoder(
  { dialect, report }: RunEncodeContext,
  { runId, clock }: EncodeStreamOptions,
): Omit<StreamEncoder, "losses"> {
  let startValues: { runId?: string; timestamp?: string } = {};
  let next = 0;
  const addLossOnce = (code: RunLossCode, field: string): void => {
    if (!report.losses.some((loss) => loss.code === code)) report.addLoss(code, field);
  };
  return {
    push(delta: Delta | MessageDelta) {
      const stamped: Partial<MessageDelta> = delta;
      if (delta.kind === "start") startValues = toStartStamp(delta.payload);
      const run = runId ?? stamped.runId ?? startValues.runId ?? "";
      if (run === "") addLossOnce("run-id-synthesized", "id");
      const timestamp = clock === undefined ? (stamped.timestamp ?? startValues.timestamp) : formatClockTime(clock);
      if (timestamp === undefined) addLossOnce("timestamp-synthesized", "createdAt");
      const seq = runId === undefined ? (stamped.seq ?? next) : next;
      next = seq + 1;
      const data = Object.assign(toWireDelta(delta, dialect), {
        runId: run,
        seq,
        timestamp: timestamp ?? formatClockTime(clock),
      });
      // The cast is safe, because `providerRaw` is JSON.
      if (delta.providerRaw !== undefined) data.providerRaw = delta.providerRaw as JsonValue;
      return [{ data }];
    },
    end: () => [],
  };
}

function toStartStamp({ requestId, createdAt }: StartPayload): { runId: string; timestamp?: string } {
  return createdAt === undefined ? { runId: requestId } : { runId: requestId, timestamp: createdAt };
}
