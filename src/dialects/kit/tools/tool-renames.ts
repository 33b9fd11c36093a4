// Renames call ids and tool names that a target does not accept. Different originals get different replacements, and an
// original gets the same replacement everywhere, so a call and its result still match (B16, B30). The decoder of the
// reply restores the originals from the `Renames`.
import type { EncodeContext, Renames } from "../../dialect.ts";

/** The rule of a target for call ids or for tool names. */
export interface NameRule {
  /** Matches the call ids or tool names that the target accepts unchanged. */
  accepted: RegExp;
  /** Matches each character that is replaced by "_" in an id or name that the target does not accept. */
  invalidCharacters: RegExp;
  maxLength: number;
  /** Prefix for a replacement that would not be accepted without it, because of its first character. */
  prefix?: string;
  /** The length that every name must have. If it is set, a replacement consists only of a hash. */
  exactLength?: number;
}

export type RenameLoss = "call-id-renamed" | "tool-renamed";

/** Maps the originals of call ids or of tool names to their replacements. */
class RenameMap {
  /**
   * The original of each id or name that was written, by its written form. A name that was not changed is its own
   * original.
   */
  #originals: Map<string, string> | undefined;
  /**
   * The replacement of each changed name, by its original. A name that the target accepts is changed only if it equals
   * the replacement of a different name.
   */
  #replacements: Map<string, string> | undefined;
  readonly #rule: NameRule;
  /** The original name of each replacement, for the decoder of the reply; undefined if no name was changed. */
  changes: Record<string, string> | undefined;

  constructor(rule: NameRule) {
    this.#rule = rule;
  }

  rename(original: string): string {
    const originals = (this.#originals ??= new Map<string, string>());
    const owner = originals.get(original);
    if (owner === original) return original;
    if (owner === undefined && this.#rule.accepted.test(original)) {
      originals.set(original, original);
      return original;
    }
    const replacements = (this.#replacements ??= new Map<string, string>());
    const existing = replacements.get(original);
    if (existing !== undefined) return existing;
    const name = this.#createReplacement(original, originals);
    replacements.set(original, name);
    originals.set(name, original);
    (this.changes ??= {})[name] = original;
    return name;
  }

  /** Returns a new name that is accepted: the valid characters of the original, followed by a hash of the original. */
  #createReplacement(original: string, originals: ReadonlyMap<string, string>): string {
    const { invalidCharacters, maxLength, prefix = "", accepted, exactLength } = this.#rule;
    const cleaned = original.replace(invalidCharacters, "_");
    for (let salt = 0; ; salt++) {
      const tail = `_${shortHash(`${original}${salt === 0 ? "" : salt}`)}`;
      const plain =
        exactLength === undefined ? cleaned.slice(0, maxLength - tail.length) + tail : tail.slice(1, exactLength + 1);
      const name = accepted.test(plain)
        ? plain
        : prefix + cleaned.slice(0, maxLength - tail.length - prefix.length) + tail;
      if (!originals.has(name)) return name;
    }
  }
}

/** The call ids and tool names that an encoder renames in one request or response. */
export class RenameTable {
  readonly #ids: RenameMap | undefined;
  readonly #tools: RenameMap;
  readonly #context: EncodeContext<RenameLoss>;

  /** If `ids` is undefined, the target accepts any call id. */
  constructor(ids: NameRule | undefined, tools: NameRule, context: EncodeContext<"tool-renamed">) {
    this.#ids = ids && new RenameMap(ids);
    this.#tools = new RenameMap(tools);
    // The cast is safe: a dialect that passes a rule for ids declares the loss "call-id-renamed".
    this.#context = context as EncodeContext<RenameLoss>;
  }

  /**
   * Returns the wire id of a call: the id itself or its replacement, which is reported as a loss of the field `field`.
   */
  encodeCallId(id: string, field = "toolCallId"): string {
    if (!this.#context.repair || this.#ids === undefined) return id;
    const wireId = this.#ids.rename(id);
    if (wireId !== id) this.#context.report.addLoss("call-id-renamed", field);
    return wireId;
  }

  /**
   * Returns the wire name of a tool: the name itself or its replacement, which is reported as a loss of the field
   * `field`.
   */
  encodeToolName(name: string, field: string | readonly (string | number)[] = "toolName"): string {
    if (!this.#context.repair) return name;
    const wireName = this.#tools.rename(name);
    if (wireName !== name) this.#context.report.addLoss("tool-renamed", field);
    return wireName;
  }

  /** The renames for the decoder of the reply; undefined if there are none. */
  get renames(): Renames | undefined {
    const [toolCallIds, toolNames] = [this.#ids?.changes, this.#tools.changes];
    if (toolCallIds === undefined && toolNames === undefined) return undefined;
    return { ...(toolCallIds && { toolCallIds }), ...(toolNames && { toolNames }) };
  }
}

/** Returns the original of an id or name in a reply; the id or name itself if the encoder did not change it. */
export function restoreName(name: string, changes: Record<string, string> | undefined): string {
  return changes !== undefined && Object.hasOwn(changes, name) ? (changes[name] ?? name) : name;
}

/** Returns a hash of a text as eleven letters and digits (FNV-1a, twice with different seeds). */
export function shortHash(text: string): string {
  let [a, b] = [0x811c9dc5, 0x9dc5811c];
  for (let at = 0; at < text.length; at++) {
    const unit = text.charCodeAt(at);
    a = Math.imul(a ^ unit, 0x01000193);
    b = Math.imul(b ^ (unit + at), 0x01000193);
  }
  return (a >>> 0).toString(36).slice(-5).padStart(5, "0") + (b >>> 0).toString(36).slice(-6).padStart(6, "0");
}
