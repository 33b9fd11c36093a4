// Stores the settings of a request (tools, sampling, changed instructions) in the run's metadata, so that the request
// can be repeated. A long field with the same value as in an earlier run on the path is stored as a reference (B97).
import { hash } from "node:crypto";
import type { Ledger, RunInfo } from "../../ledger/index.ts";
import { stringifyJson } from "../../model/index.ts";
import type { Message, ModelRequest } from "../../model/index.ts";
import { isObject } from "../../model/value-kind.ts";
import { LruMap } from "./lru-map.ts";
import { hideSecrets } from "./hide-secrets.ts";

/**
 * The place where the value of a field is stored: the metadata of `run` or, if `run` is undefined, the instructions at
 * the start of the thread. `hash` is the hash of the value.
 */
export interface FieldSource {
  hash: string;
  run?: string;
}
/**
 * For a message: the places where the values of the long fields of the last recorded request up to that message are
 * stored, by field name, such as "tools".
 */
export type KnownFields = ReadonlyMap<string, FieldSource>;

/** The request fields in a run's metadata. */
export interface RunRequestFields {
  /**
   * The values that this run itself stores, by field name. `instructions` is one of them only if they differ from those
   * of the last recorded request.
   */
  request: Record<string, unknown>;
  /**
   * The places of the values that this run only refers to, by field name. They are stored in an earlier run or at the
   * start of the thread.
   */
  same?: Record<string, FieldSource>;
}

/** The request of a call and the call's position in a thread. */
export interface DescribeInput {
  ledger: Ledger;
  runId: string;
  threadId: string;
  /** True if the call creates the thread, so that the thread starts with the messages of the call. */
  isNew: boolean;
  parentMessageId: string | null;
  request: ModelRequest;
  /** The system and developer messages at the start of the history. */
  leading: readonly Message[];
}

/**
 * The length of a value's JSON text from which a field counts as long: if an earlier run has stored the same value,
 * only a reference is stored. For a shorter value, a reference saves nothing.
 */
const MIN_DEDUPLICATED_LENGTH = 256;
/**
 * The number of messages before a call that are searched for a message with a run id. A turn of tool results may
 * contain many messages without a run id.
 */
const RUN_SEARCH_DEPTH = 32;
const MAX_CACHED_MESSAGES = 10_000;
const SKIPPED_FIELDS: ReadonlySet<string> = new Set(["messages", "stream"]);
const NO_KNOWN_FIELDS: KnownFields = new Map();
const NO_INSTRUCTIONS: FieldSource = { hash: hashText("[]") };

export function leadingInstructions(messages: readonly Message[]): readonly Message[] {
  const end = messages.findIndex(({ role }) => role !== "system" && role !== "developer");
  return end === 0 ? [] : messages.slice(0, end === -1 ? messages.length : end);
}

function hashText(text: string): string {
  return hash("sha256", text, "base64url").slice(0, 22);
}

/**
 * Computes the request fields that a run stores. Caches, by message, where earlier runs have stored their fields
 * (`KnownFields`).
 */
export class RequestFacts {
  readonly #knownByMessage = new LruMap<string, KnownFields>(MAX_CACHED_MESSAGES);

  /**
   * Returns the request fields to store in the run, and the places of all long fields after this run (`knownFields`),
   * which the next run on the path can refer to.
   */
  async describe(input: DescribeInput): Promise<{ runFields: RunRequestFields; knownFields: KnownFields }> {
    const knownBefore = input.isNew ? NO_KNOWN_FIELDS : await this.#readKnownFields(input);
    const runFields: RunRequestFields = { request: {} };
    const next = new Map<string, FieldSource>();
    const repeat = (field: string, source: FieldSource): void => {
      (runFields.same ??= {})[field] = source;
      next.set(field, source);
    };
    for (const [field, value] of Object.entries(input.request)) {
      if (value === undefined || SKIPPED_FIELDS.has(field)) continue;
      const text = stringifyJson(value);
      const source = knownBefore?.get(field);
      if (text.length >= MIN_DEDUPLICATED_LENGTH && source?.hash === hashText(text)) repeat(field, source);
      else {
        runFields.request[field] = hideSecrets(value, text);
        if (text.length >= MIN_DEDUPLICATED_LENGTH) next.set(field, { hash: hashText(text), run: input.runId });
      }
    }
    this.#describeInstructions(input, knownBefore, runFields, repeat);
    const own = runFields.request["instructions"];
    if (own !== undefined) next.set("instructions", { hash: hashText(stringifyJson(own)), run: input.runId });
    return { runFields, knownFields: next };
  }

  /** Caches the places of the long fields for the last message of a run, once the run has been written. */
  remember({ tenant }: Ledger, messageId: string, knownFields: KnownFields): void {
    this.#knownByMessage.set(`${tenant} ${messageId}`, knownFields);
  }

  #describeInstructions(
    { leading, isNew }: DescribeInput,
    knownBefore: KnownFields | undefined,
    runFields: RunRequestFields,
    repeat: (field: string, source: FieldSource) => void,
  ): void {
    const source: FieldSource = leading.length === 0 ? NO_INSTRUCTIONS : { hash: hashText(stringifyJson(leading)) };
    // A new thread stores the instructions as its first messages, so they are already known. If no recorded call
    // precedes this one, `known` is undefined, and the run stores the instructions.
    const known = isNew ? source : knownBefore && (knownBefore.get("instructions") ?? NO_INSTRUCTIONS);
    if (known?.hash !== source.hash) runFields.request["instructions"] = leading;
    // The instructions equal those of the last recorded call, so the run stores a reference. If neither call has any, a
    // reference is needed only if an earlier run stored that there are none (`known.run`): without the reference, the
    // instructions at the start of the thread would apply.
    else if (leading.length > 0 || known.run !== undefined) repeat("instructions", known);
  }

  /**
   * Returns the places of the long fields that a call after the message `parentMessageId` can refer to; undefined if no
   * recorded call precedes it.
   */
  async #readKnownFields({ ledger, threadId, parentMessageId }: DescribeInput): Promise<KnownFields | undefined> {
    if (parentMessageId === null) return undefined;
    const name = `${ledger.tenant} ${parentMessageId}`;
    const known = this.#knownByMessage.get(name);
    if (known !== undefined) return known;
    // The places are not in the cache if another instance wrote the message, or if it was written long ago. They are
    // then read from the metadata of the last run.
    const options = { branch: parentMessageId, limit: RUN_SEARCH_DEPTH, blobs: "reference" as const };
    const recent = await ledger.transcript(threadId, options);
    const runId = recent.findLast(({ metadata }) => metadata.runId !== undefined)?.metadata.runId;
    const knownFields = runId === undefined ? undefined : knownFieldsAfter(await ledger.run(runId));
    if (knownFields !== undefined) this.#knownByMessage.set(name, knownFields);
    return knownFields;
  }
}

/**
 * Returns the places of the long fields that a call after this run can refer to; undefined if the run is not a recorded
 * call.
 */
function knownFieldsAfter({ id, metadata }: RunInfo): KnownFields | undefined {
  const { request, same } = readRunRequestFields(metadata) ?? {};
  if (request === undefined) return undefined;
  const knownFields = new Map<string, FieldSource>(Object.entries(same ?? {}));
  for (const [field, value] of Object.entries(request)) {
    const text = stringifyJson(value);
    if (text.length >= MIN_DEDUPLICATED_LENGTH || field === "instructions")
      knownFields.set(field, { hash: hashText(text), run: id });
  }
  return knownFields;
}

/** Returns the request fields in a run's metadata; undefined if the run is not a recorded call. */
export function readRunRequestFields(metadata: RunInfo["metadata"]): RunRequestFields | undefined {
  const { request, same } = metadata ?? {};
  if (!isObject(request)) return undefined;
  // The cast is safe: only `RequestFacts.describe` writes the field `same`.
  return isObject(same) ? { request, same: same as unknown as Record<string, FieldSource> } : { request };
}
