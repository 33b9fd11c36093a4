// Streams of the run shape. Its event is Koine's own delta with a stamp, so reading takes the stamp off and writing
// puts one on; what the contract has no word for is kept as residue.
import type { Clock } from "../../assembly/stamp.ts";
import type { Delta } from "../../model/delta.ts";
import type { JsonObject, JsonValue } from "../../model/json.ts";
import { pointer } from "../../model/pointer.ts";
import type { DecodeContext, EncodeStreamOptions, StreamDecoder, WireEvent } from "../dialect.ts";
import type { DialectErrorCode } from "../errors.ts";
import { DialectError } from "../errors.ts";
import { copyField, isObject, kindOf } from "../read.ts";
import { DELTA_FIELDS, findProblem, hasTable } from "./fields.ts";
import type { RunEncodeContext } from "./losses.ts";
import { liftResidue, lowerResidue, opaqueEvent, STAMP, wireOfOpaque } from "./stream-residue.ts";

const EPOCH = "1970-01-01T00:00:00.000Z";
const STAMP_TYPES = { runId: "string", seq: "number", timestamp: "string" } as const;

export class DeltaDecoder implements StreamDecoder {
  private readonly dialect: string;
  private isOpen = false;

  constructor({ dialect }: Pick<DecodeContext, "dialect">) {
    this.dialect = dialect;
  }

  push(event: unknown): Delta[] {
    const isFramed = isObject(event) && !Object.hasOwn(event, "kind") && Object.hasOwn(event, "data");
    const wire = isFramed ? event["data"] : event;
    if (wire === "[DONE]") return [];
    return [this.decode(wire, isFramed ? ["data"] : [])];
  }

  end(): Delta[] {
    if (!this.isOpen) return [];
    this.isOpen = false;
    return [{ kind: "error", payload: { errorCode: "truncated", retryable: true } }];
  }

  private fail(code: DialectErrorCode, path: readonly string[], message: string): never {
    throw new DialectError(this.dialect, pointer(path), code, message);
  }

  private decode(wire: unknown, path: readonly string[]): Delta {
    if (!isObject(wire)) this.fail("wrong-type", path, `Expected a delta, found ${kindOf(wire)}.`);
    const { kind, payload } = wire;
    if (kind === undefined) this.fail("missing-field", [...path, "kind"], 'The field "kind" is missing.');
    if (typeof kind !== "string")
      this.fail("wrong-type", [...path, "kind"], `Expected a string, found ${kindOf(kind)}.`);
    this.checkStamp(wire, path);
    if (!hasTable(DELTA_FIELDS, kind)) return opaqueEvent(wire, this.dialect);
    if (!isObject(payload)) {
      const code = payload === undefined ? "missing-field" : "wrong-type";
      this.fail(code, [...path, "payload"], `Expected an object, found ${kindOf(payload)}.`);
    }
    this.checkPayload(payload, kind, [...path, "payload"]);
    if (kind === "start") this.isOpen = true;
    if (kind === "done" || kind === "error") this.isOpen = false;
    // The table of its kind has been checked.
    const delta = { kind, payload: liftResidue(wire, payload, kind, this.dialect) } as unknown as Delta;
    if (wire["providerRaw"] !== undefined) delta.providerRaw = wire["providerRaw"];
    return delta;
  }

  private checkStamp(wire: JsonObject, path: readonly string[]): void {
    for (const field of STAMP) {
      const value = wire[field];
      if (value === undefined || value === null || typeof value === STAMP_TYPES[field]) continue;
      this.fail("wrong-type", [...path, field], `Expected a ${STAMP_TYPES[field]}, found ${kindOf(value)}.`);
    }
  }

  private checkPayload(payload: JsonObject, kind: keyof typeof DELTA_FIELDS, path: readonly string[]): void {
    const problem = findProblem(payload, DELTA_FIELDS[kind]);
    if (problem !== undefined) this.fail(problem.code, [...path, problem.field], problem.message);
    const { extra } = payload;
    if (extra === undefined) return;
    if (!isObject(extra)) this.fail("wrong-type", [...path, "extra"], `Expected an object, found ${kindOf(extra)}.`);
    for (const key of Object.keys(extra)) {
      if (isObject(extra[key])) continue;
      this.fail("wrong-type", [...path, "extra", key], `Expected an object, found ${kindOf(extra[key])}.`);
    }
  }
}

export class DeltaEncoder {
  private readonly context: RunEncodeContext;
  private readonly clock: Clock | undefined;
  private runId: string | undefined;
  private createdAt: string | undefined;
  private seq = 0;
  private readonly told = new Set<string>();

  constructor(context: RunEncodeContext, { runId, clock }: EncodeStreamOptions) {
    this.context = context;
    this.clock = clock;
    this.runId = runId;
  }

  push(delta: Delta): WireEvent[] {
    if (delta.kind === "start") {
      this.runId ??= delta.payload.requestId;
      this.createdAt = delta.payload.createdAt ?? this.createdAt;
    }
    const bare = wireOfOpaque(delta, this.context.dialect) ?? lowerResidue(delta, this.context.dialect);
    const data: JsonObject = { runId: this.stampedRun(), seq: this.seq++ };
    for (const key of Object.keys(bare)) copyField(bare, key, data);
    data["timestamp"] = this.now();
    // JSON, like everything in the model.
    if (delta.providerRaw !== undefined) data["providerRaw"] = delta.providerRaw as JsonValue;
    return [{ data }];
  }

  end(): WireEvent[] {
    return [];
  }

  private stampedRun(): string {
    if (this.runId === undefined || this.runId === "") this.tell("run-id-synthesized", "id");
    return this.runId ?? "";
  }

  private now(): string {
    if (this.clock !== undefined) return new Date(this.clock()).toISOString();
    if (this.createdAt === undefined) this.tell("timestamp-synthesized", "createdAt");
    return this.createdAt ?? EPOCH;
  }

  /** Once a stream, not once a delta. */
  private tell(code: "run-id-synthesized" | "timestamp-synthesized", field: string): void {
    if (this.told.has(code)) return;
    this.told.add(code);
    this.context.report.lose(code, field);
  }
}
