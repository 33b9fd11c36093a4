// What a request says beside its conversation: tools, sampling, instructions that changed. It stands on the run, so that
// the same can be asked again; what is long and was said before on the path is named, not repeated (B97).
import { hash } from "node:crypto";
import type { Ledger, RunInfo } from "../../ledger/index.ts";
import { stringifyJson } from "../../model/index.ts";
import type { Message, ModelRequest } from "../../model/index.ts";
import { isObject } from "../../model/kind.ts";
import { LruMap } from "./last-used.ts";
import { withoutSecrets } from "./secrets.ts";

/** Where a field was said first; without a run: the instructions that the thread begins with. */
export interface Source {
  hash: string;
  run?: string;
}
/** What holds at a message, as far as it is long, by field. */
export type KnownFields = ReadonlyMap<string, Source>;

/** Said on a run. */
export interface Said {
  /** The fields of the request, and `instructions`: the messages that took the place of those the thread begins with. */
  request: Record<string, unknown>;
  /** Fields that are the same as on an earlier run. */
  same?: Record<string, Source>;
}

/** A call's request and where it belongs. */
export interface Asked {
  ledger: Ledger;
  runId: string;
  threadId: string;
  /** Whether the thread begins with this call's messages. */
  isNew: boolean;
  parentMessageId: string | null;
  request: ModelRequest;
  /** The instructions that the history begins with. */
  leading: readonly Message[];
}

/** Shorter texts are repeated: naming them would not be shorter. */
const LONG = 256;
/** Messages back at which an answer is looked for: a turn of results may have many. */
const NEAR = 32;
const REMEMBERED = 10_000;
const NOT_SAID: ReadonlySet<string> = new Set(["messages", "stream"]);
const NOTHING: KnownFields = new Map();
const NO_INSTRUCTIONS: Source = { hash: hashOf("[]") };

export function leadingOf(messages: readonly Message[]): readonly Message[] {
  const end = messages.findIndex(({ role }) => role !== "system" && role !== "developer");
  return end === 0 ? [] : messages.slice(0, end === -1 ? messages.length : end);
}

function hashOf(text: string): string {
  return hash("sha256", text, "base64url").slice(0, 22);
}

/** Remembers what was said where, and says what is new. */
export class RequestFacts {
  readonly #at = new LruMap<string, KnownFields>(REMEMBERED);

  /** What a run is to say, and what then holds after it. */
  async describe(asked: Asked): Promise<{ said: Said; standing: KnownFields }> {
    const before = asked.isNew ? NOTHING : await this.#standing(asked);
    const said: Said = { request: {} };
    const next = new Map<string, Source>();
    const repeat = (field: string, source: Source): void => {
      (said.same ??= {})[field] = source;
      next.set(field, source);
    };
    for (const [field, value] of Object.entries(asked.request)) {
      if (value === undefined || NOT_SAID.has(field)) continue;
      const text = stringifyJson(value);
      const source = before?.get(field);
      if (text.length >= LONG && source?.hash === hashOf(text)) repeat(field, source);
      else {
        said.request[field] = withoutSecrets(value, text);
        if (text.length >= LONG) next.set(field, { hash: hashOf(text), run: asked.runId });
      }
    }
    this.#instruct(asked, before, said, repeat);
    const own = said.request["instructions"];
    if (own !== undefined) next.set("instructions", { hash: hashOf(stringifyJson(own)), run: asked.runId });
    return { said, standing: next };
  }

  /** Notes what holds at a message that was written. */
  remember({ tenant }: Ledger, messageId: string, standing: KnownFields): void {
    this.#at.set(`${tenant} ${messageId}`, standing);
  }

  #instruct(
    { leading, isNew }: Asked,
    before: KnownFields | undefined,
    said: Said,
    repeat: (field: string, source: Source) => void,
  ): void {
    const source: Source = leading.length === 0 ? NO_INSTRUCTIONS : { hash: hashOf(stringifyJson(leading)) };
    // Where nobody knows what the path begins with, it is said.
    const known = isNew ? source : before && (before.get("instructions") ?? NO_INSTRUCTIONS);
    if (known?.hash !== source.hash) said.request["instructions"] = leading;
    // Also that there are none any more: else those that the thread begins with would be read into the call.
    else if (leading.length > 0 || known.run !== undefined) repeat("instructions", known);
  }

  /** What holds at the message that a call follows; undefined where nobody has said. */
  async #standing({ ledger, threadId, parentMessageId }: Asked): Promise<KnownFields | undefined> {
    if (parentMessageId === null) return undefined;
    const name = `${ledger.tenant} ${parentMessageId}`;
    const known = this.#at.get(name);
    if (known !== undefined) return known;
    // Another instance wrote it, or it was long ago.
    const options = { branch: parentMessageId, limit: NEAR, blobs: "reference" as const };
    const near = await ledger.transcript(threadId, options);
    const runId = near.findLast(({ metadata }) => metadata.runId !== undefined)?.metadata.runId;
    const standing = runId === undefined ? undefined : standingAfter(await ledger.run(runId));
    if (standing !== undefined) this.#at.set(name, standing);
    return standing;
  }
}

/** What holds after a run; undefined where no recorded call made it. */
function standingAfter({ id, metadata }: RunInfo): KnownFields | undefined {
  const { request, same } = saidBy(metadata) ?? {};
  if (request === undefined) return undefined;
  const standing = new Map<string, Source>(Object.entries(same ?? {}));
  for (const [field, value] of Object.entries(request)) {
    const text = stringifyJson(value);
    if (text.length >= LONG || field === "instructions") standing.set(field, { hash: hashOf(text), run: id });
  }
  return standing;
}

/** What a run's metadata has of a recorded call. */
export function saidBy(metadata: RunInfo["metadata"]): Said | undefined {
  const { request, same } = metadata ?? {};
  if (!isObject(request)) return undefined;
  // As `describe` wrote it.
  return isObject(same) ? { request, same: same as unknown as Record<string, Source> } : { request };
}
