// Creates a text that matches a simple regular expression, as schemas use them, with few repetitions. The caller checks the
// result, so unsupported syntax only costs a guess.

/** Characters to try for a class, the most readable first. */
const PALETTE = [
  ...Array.from("aA1 -_.@/:x0z9"),
  ...Array.from({ length: 95 }, (_, at) => String.fromCharCode(32 + at)),
  "é",
  "ω",
  "😀",
  "\n",
  "\t",
];

/** Limits nested repetitions. */
const MAX_LENGTH = 1000;

/** Options of a text. */
export interface PatternTextOptions {
  /** Chooses an alternative, or a character of a class. */
  choose(count: number): number;
  /** Repetitions beyond the minimum. */
  extra: number;
  /** The index of the text; texts with different indexes have different characters. */
  n: number;
}

/** Returns a text for an expression; undefined for unsupported syntax. */
export function textForPattern(pattern: string, options: PatternTextOptions): string | undefined {
  const writer = new PatternWriter(pattern, options);
  const text = writer.alternatives();
  return writer.isDone ? text : undefined;
}

class PatternWriter {
  readonly #pattern: string;
  readonly #options: PatternTextOptions;
  #at = 0;

  constructor(pattern: string, options: PatternTextOptions) {
    this.#pattern = pattern;
    this.#options = options;
  }

  get isDone(): boolean {
    return this.#at >= this.#pattern.length;
  }

  alternatives(): string {
    const texts = [this.#sequence()];
    while (this.#take("|")) texts.push(this.#sequence());
    return texts[this.#options.choose(texts.length)] ?? "";
  }

  #take(text: string): boolean {
    if (!this.#pattern.startsWith(text, this.#at)) return false;
    this.#at += text.length;
    return true;
  }

  #sequence(): string {
    let text = "";
    while (!this.isDone && !/[|)]/.test(this.#pattern[this.#at] ?? "")) {
      text += this.#repeated();
    }
    return text;
  }

  /** Writes an atom as often as its quantifier requires, parsed anew each time so that the characters can differ. */
  #repeated(): string {
    const start = this.#at;
    let text = this.#atom();
    const count = this.#repeats();
    const end = this.#at;
    for (let n = 1; n < count && text.length < MAX_LENGTH; n++) {
      this.#at = start;
      text += this.#atom();
    }
    this.#at = end;
    return count === 0 ? "" : text;
  }

  #atom(): string {
    if (this.#take("(")) return this.#group();
    const [assertion] = this.#match(/(?:[$^]|\\[bB])/y) ?? [];
    if (assertion !== undefined) return "";
    const [source] =
      this.#match(
        /(?:\\(?:u\{[^}]*\}|u[\da-fA-F]{4}|x[\da-fA-F]{2}|p\{[^}]*\}|P\{[^}]*\}|.)|\[\^?\]?(?:\\.|[^\]\\])*\]|\.)/suy,
      ) ?? [];
    if (source !== undefined) return this.#character(source);
    const character = String.fromCodePoint(this.#pattern.codePointAt(this.#at) ?? 0);
    this.#at += character.length;
    return character;
  }

  /** Writes a group; lookaheads and lookbehinds write nothing. */
  #group(): string {
    const isLookaround = this.#match(/\?(?:<?[=!])/y) !== undefined;
    this.#match(/\?(?::|<\w+>)/y);
    const text = this.alternatives();
    this.#take(")");
    return isLookaround ? "" : text;
  }

  #repeats(): number {
    const [, sign, least, comma, limit] = this.#match(/(?:([*+?])|\{(\d+)(,?)(\d*)\})\??/y) ?? [];
    if (sign === undefined && least === undefined) return 1;
    const minimum = sign === undefined ? Number(least) : sign === "+" ? 1 : 0;
    const open = sign === "*" || sign === "+" || (comma === "," && limit === "");
    const maximum = open ? Infinity : sign === "?" ? 1 : Number(comma === "," ? limit : least);
    return Math.min(minimum + this.#options.extra, maximum, MAX_LENGTH);
  }

  /** Returns a character that matches an escape or a class. */
  #character(source: string): string {
    const characters = findMatchingCharacters(source);
    const index = (this.#options.choose(characters.length) + this.#options.n) % characters.length;
    return characters[index] ?? source.replace(/^\\/, "");
  }

  #match(expression: RegExp): RegExpExecArray | undefined {
    expression.lastIndex = this.#at;
    const match = expression.exec(this.#pattern) ?? undefined;
    this.#at += match?.[0].length ?? 0;
    return match;
  }
}

function findMatchingCharacters(source: string): string[] {
  for (const flags of ["u", ""]) {
    try {
      const expression = new RegExp(`^${source}$`, flags);
      return PALETTE.filter((character) => expression.test(character));
    } catch {
      // Invalid in this mode.
    }
  }
  return [];
}
