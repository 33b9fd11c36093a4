// Creates a text that matches a simple regular expression of a JSON schema, with few repetitions. Unsupported syntax
// may lead to a text that does not match; the caller checks the text.

/** Characters that are tried for a character class, the most readable first. */
const PALETTE = [
  ...Array.from("aA1 -_.@/:x0z9"),
  ...Array.from({ length: 95 }, (_, at) => String.fromCharCode(32 + at)),
  "é",
  "ω",
  "😀",
  "\n",
  "\t",
];

/** The number of characters after which a repetition ends; limited because nested repetitions multiply. */
const MAX_LENGTH = 1000;

/** Options of a generated text. */
export interface PatternTextOptions {
  /** Returns the index of one of `count` alternatives or characters. */
  choose(count: number): number;
  /** The number of repetitions to add to the minimum of each quantifier, as far as its maximum allows. */
  extra: number;
  /**
   * The index of the text in a series, such as the items of a list. It selects other characters, so that the texts
   * differ.
   */
  n: number;
}

/** Returns a text for a regular expression; undefined if its syntax is not supported. */
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

  /**
   * Returns the text of an atom, repeated as its quantifier requires. The atom is parsed again each time, so that its
   * characters can differ.
   */
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

  /** Returns the text of a group; empty for a lookahead or a lookbehind. */
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
      // The source is invalid with these flags, so it is tried with the next flags.
    }
  }
  return [];
}
