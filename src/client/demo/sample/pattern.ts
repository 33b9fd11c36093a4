// A text that matches a regular expression, for the plain ones that schemas use. It writes what the expression says,
// with as few repetitions as allowed; the caller checks the result, so what is not understood here costs only the guess.

/** Characters to try for a class, the friendliest first. */
const PALETTE = [
  ...Array.from("aA1 -_.@/:x0z9"),
  ...Array.from({ length: 95 }, (_, at) => String.fromCharCode(32 + at)),
  "é",
  "ω",
  "😀",
  "\n",
  "\t",
];

/** Repetitions of repetitions end here. */
const LONGEST = 1000;

/** How a text is written. */
export interface Writing {
  /** Which alternative is taken, and which character of a class. */
  choose(count: number): number;
  /** How often something repeats beyond what it must. */
  extra: number;
  /** Which of several texts it is to be: they differ in their characters. */
  n: number;
}

/** A text for an expression; undefined where it cannot be read. */
export function textFor(pattern: string, writing: Writing): string | undefined {
  const reader = new Reader(pattern, writing);
  const text = reader.alternatives();
  return reader.isDone ? text : undefined;
}

class Reader {
  readonly #pattern: string;
  readonly #writing: Writing;
  #at = 0;

  constructor(pattern: string, writing: Writing) {
    this.#pattern = pattern;
    this.#writing = writing;
  }

  get isDone(): boolean {
    return this.#at >= this.#pattern.length;
  }

  alternatives(): string {
    const texts = [this.#sequence()];
    while (this.#take("|")) texts.push(this.#sequence());
    return texts[this.#writing.choose(texts.length)] ?? "";
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

  /** An atom as often as its quantifier says, read again for every time: its characters need not be the same. */
  #repeated(): string {
    const start = this.#at;
    let text = this.#atom();
    const count = this.#repeats();
    const end = this.#at;
    for (let n = 1; n < count && text.length < LONGEST; n++) {
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

  /** Looking ahead or behind writes nothing. */
  #group(): string {
    const looks = this.#match(/\?(?:<?[=!])/y) !== undefined;
    this.#match(/\?(?::|<\w+>)/y);
    const text = this.alternatives();
    this.#take(")");
    return looks ? "" : text;
  }

  #repeats(): number {
    const [, sign, least, comma, limit] = this.#match(/(?:([*+?])|\{(\d+)(,?)(\d*)\})\??/y) ?? [];
    if (sign === undefined && least === undefined) return 1;
    const minimum = sign === undefined ? Number(least) : sign === "+" ? 1 : 0;
    const open = sign === "*" || sign === "+" || (comma === "," && limit === "");
    const maximum = open ? Infinity : sign === "?" ? 1 : Number(comma === "," ? limit : least);
    return Math.min(minimum + this.#writing.extra, maximum, LONGEST);
  }

  /** A character that an escape or a class stands for: found by asking it. */
  #character(source: string): string {
    const found = charactersOf(source);
    return found[(this.#writing.choose(found.length) + this.#writing.n) % found.length] ?? source.replace(/^\\/, "");
  }

  #match(expression: RegExp): RegExpExecArray | undefined {
    expression.lastIndex = this.#at;
    const found = expression.exec(this.#pattern) ?? undefined;
    this.#at += found?.[0].length ?? 0;
    return found;
  }
}

function charactersOf(source: string): string[] {
  for (const flags of ["u", ""]) {
    try {
      const expression = new RegExp(`^${source}$`, flags);
      return PALETTE.filter((character) => expression.test(character));
    } catch {
      // Not in this mode of expressions.
    }
  }
  return [];
}
