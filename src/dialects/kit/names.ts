// Tool ids and names that a target takes: mapped one to one, the same every time, alike on call and result (B16, B30).
// What had to change is handed out as `Names`, so that the decoder of the reply can restore it.
import type { EncodeContext, Renames } from "../dialect.ts";

/** What a target takes for an id or a name. */
export interface NameRule {
  fits: RegExp;
  /** Characters that must be replaced. */
  odd: RegExp;
  max: number;
  /** What a name begins with where its own beginning does not fit. */
  prefix?: string;
  /** Every name has this length: there is room for nothing but a hash. */
  exactly?: number;
}

export type NameLoss = "call-id-renamed" | "tool-renamed";

/** One side of the book: what was said → what is written, and back. */
class Renaming {
  /** What each written name stands for. */
  #meant: Map<string, string> | undefined;
  /** What was written for a name that does not fit, or whose place was taken. */
  #coined: Map<string, string> | undefined;
  readonly #rule: NameRule;
  changes: Record<string, string> | undefined;

  constructor(rule: NameRule) {
    this.#rule = rule;
  }

  write(original: string): string {
    const meant = (this.#meant ??= new Map<string, string>());
    const owner = meant.get(original);
    if (owner === original) return original;
    if (owner === undefined && this.#rule.fits.test(original)) {
      meant.set(original, original);
      return original;
    }
    const coined = (this.#coined ??= new Map<string, string>());
    const known = coined.get(original);
    if (known !== undefined) return known;
    const name = this.#coin(original, meant);
    coined.set(original, name);
    meant.set(name, original);
    (this.changes ??= {})[name] = original;
    return name;
  }

  /** A fitting name that keeps what can be kept, told apart by a hash of the whole. */
  #coin(original: string, meant: ReadonlyMap<string, string>): string {
    const { odd, max, prefix = "", fits, exactly } = this.#rule;
    const cleaned = original.replace(odd, "_");
    for (let salt = 0; ; salt++) {
      const tail = `_${hash(`${original}${salt === 0 ? "" : salt}`)}`;
      const plain = exactly === undefined ? cleaned.slice(0, max - tail.length) + tail : tail.slice(1, exactly + 1);
      const name = fits.test(plain) ? plain : prefix + cleaned.slice(0, max - tail.length - prefix.length) + tail;
      if (!meant.has(name)) return name;
    }
  }
}

/** The ids and names of one encode. */
export class NameBook {
  readonly #ids: Renaming | undefined;
  readonly #tools: Renaming;
  readonly #context: EncodeContext<NameLoss>;

  /** Without a rule for ids the target takes any. */
  constructor(ids: NameRule | undefined, tools: NameRule, context: EncodeContext<"tool-renamed">) {
    this.#ids = ids && new Renaming(ids);
    this.#tools = new Renaming(tools);
    // Who has a rule for ids declares what it does.
    this.#context = context as EncodeContext<NameLoss>;
  }

  /** What the target is told for a call's id; a change is reported at that field. */
  callId(id: string, field = "toolCallId"): string {
    if (!this.#context.repair || this.#ids === undefined) return id;
    const written = this.#ids.write(id);
    if (written !== id) this.#context.report.addLoss("call-id-renamed", field);
    return written;
  }

  toolName(name: string, field: string | readonly (string | number)[] = "toolName"): string {
    if (!this.#context.repair) return name;
    const written = this.#tools.write(name);
    if (written !== name) this.#context.report.addLoss("tool-renamed", field);
    return written;
  }

  /** What changed, for the decoder of the reply; undefined where nothing did. */
  get names(): Renames | undefined {
    const [toolCallIds, toolNames] = [this.#ids?.changes, this.#tools.changes];
    if (toolCallIds === undefined && toolNames === undefined) return undefined;
    return { ...(toolCallIds && { toolCallIds }), ...(toolNames && { toolNames }) };
  }
}

/** What a name of the reply stood for in the request. */
export function restoreName(name: string, changes: Record<string, string> | undefined): string {
  return changes !== undefined && Object.hasOwn(changes, name) ? (changes[name] ?? name) : name;
}

/** Eleven letters and digits from a text (FNV-1a, twice with different beginnings). */
export function hash(text: string): string {
  let [a, b] = [0x811c9dc5, 0x9dc5811c];
  for (let at = 0; at < text.length; at++) {
    const unit = text.charCodeAt(at);
    a = Math.imul(a ^ unit, 0x01000193);
    b = Math.imul(b ^ (unit + at), 0x01000193);
  }
  return (a >>> 0).toString(36).slice(-5).padStart(5, "0") + (b >>> 0).toString(36).slice(-6).padStart(6, "0");
}
