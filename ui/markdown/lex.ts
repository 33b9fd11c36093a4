// Markdown to tokens, with limits: whatever a text holds, reading it neither runs out of stack nor takes long. What lies
// beyond a limit is kept as plain text, never left out. Mathematics stay as they are written.
import { Lexer, type Links, type Token, Tokenizer, type Tokens } from "marked";

/** Quotes in lists in quotes … */
const MAX_NESTING = 16;
/** Emphasis in links in emphasis … */
const MAX_EMPHASIS = 12;
/** Columns of a table; every row is filled up to as many. */
const MAX_COLUMNS = 64;

// Of one run of words (a paragraph, a cell): beyond these, looking for pairs takes longer than a reader waits.
const MAX_RUN = 16_384;
const MAX_MARKS = 300;
const MAX_BRACKETS = 1000;
const MAX_UNBROKEN = 4096;

/** Formulas between dollars, on one line, as they are commonly told from prices. */
const DOLLARS = /^(?:\$\$[^$]{1,2000}\$\$|\$(?![\s$])[^$\n]{0,500}[^\s$]\$(?!\d))/;
const ESCAPED_FORMULA = /^\\(?:\((?:(?!\\\))[\s\S]){1,2000}\\\)|\[(?:(?!\\\])[\s\S]){1,2000}\\\])/;

class BoundedTokenizer extends Tokenizer {
  #nesting = 0;
  #emphasis = 0;

  #nested<T>(lex: () => T): T | undefined {
    if (this.#nesting >= MAX_NESTING) return undefined;
    this.#nesting += 1;
    const token = lex();
    this.#nesting -= 1;
    return token;
  }

  #emphasised<T>(lex: () => T): T | undefined {
    if (this.#emphasis >= MAX_EMPHASIS) return undefined;
    this.#emphasis += 1;
    const token = lex();
    this.#emphasis -= 1;
    return token;
  }

  override blockquote(src: string): Tokens.Blockquote | undefined {
    return this.#nested(() => super.blockquote(src));
  }
  override list(src: string): Tokens.List | undefined {
    return this.#nested(() => super.list(src));
  }
  override emStrong(src: string, maskedSrc: string, prevChar?: string): Tokens.Em | Tokens.Strong | undefined {
    return this.#emphasised(() => super.emStrong(src, maskedSrc, prevChar));
  }
  override del(src: string, maskedSrc: string, prevChar?: string): Tokens.Del | undefined {
    return this.#emphasised(() => super.del(src, maskedSrc, prevChar));
  }
  override link(src: string): Tokens.Link | Tokens.Image | undefined {
    return this.#emphasised(() => super.link(src));
  }
  override reflink(src: string, links: Links): Tokens.Link | Tokens.Image | Tokens.Text | undefined {
    return this.#emphasised(() => super.reflink(src, links));
  }

  override table(src: string): Tokens.Table | undefined {
    return countUpTo(src, "|", src.indexOf("\n"), MAX_COLUMNS) > MAX_COLUMNS ? undefined : super.table(src);
  }

  override escape(src: string): Tokens.Escape | undefined {
    const formula = src.startsWith("\\") ? ESCAPED_FORMULA.exec(src)?.[0] : undefined;
    return formula === undefined ? super.escape(src) : { type: "escape", raw: formula, text: formula };
  }

  override inlineText(src: string): Tokens.Text | undefined {
    const formula = src.startsWith("$") ? DOLLARS.exec(src)?.[0] : undefined;
    if (formula !== undefined) return { type: "text", raw: formula, text: formula };
    const token = super.inlineText(src);
    // It ends where a formula may begin.
    const dollar = token?.raw.indexOf("$", 1) ?? -1;
    return token === undefined || dollar < 0 ? token : { ...token, raw: token.raw.slice(0, dollar), text: "" };
  }
}

class BoundedLexer extends Lexer {
  override inlineTokens(src: string, tokens: Token[] = []): Token[] {
    if (!isTooMuch(src)) return super.inlineTokens(src, tokens);
    tokens.push(...plainTokens(src));
    return tokens;
  }
}

function countUpTo(text: string, sign: string, end: number, most: number): number {
  let count = 0;
  for (let at = text.indexOf(sign); at >= 0 && at < end && count <= most; at = text.indexOf(sign, at + 1)) count += 1;
  return count;
}

const SPACE = 0x20;
const MARKS = new Set("*_~".split("").map((sign) => sign.charCodeAt(0)));
const BRACKETS = new Set("[<`!".split("").map((sign) => sign.charCodeAt(0)));

/** One look at every character, so that the looks that follow cannot be too many. */
function isTooMuch(src: string): boolean {
  if (src.length > MAX_RUN) return true;
  if (src.length <= MAX_MARKS) return false;
  let [marks, brackets, unbroken] = [0, 0, 0];
  for (let at = 0; at < src.length; at++) {
    const code = src.charCodeAt(at);
    unbroken = code <= SPACE ? 0 : unbroken + 1;
    if (MARKS.has(code)) marks += 1;
    else if (BRACKETS.has(code)) brackets += 1;
    if (marks > MAX_MARKS || brackets > MAX_BRACKETS || unbroken > MAX_UNBROKEN) return true;
  }
  return false;
}

/** Of a run that is not read: pictures that stand in it whole are still found, they are what makes a run long. */
const PICTURE = /!\[([^\]]{0,200})\]\((data:image\/[a-z+]{1,10};base64,[A-Za-z0-9+/=]+)\)/g;

function plainTokens(src: string): Token[] {
  const tokens: Token[] = [];
  const plain = (from: number, to: number): void => {
    if (to > from) tokens.push({ type: "plain", raw: src.slice(from, to) });
  };
  let from = 0;
  for (const found of src.matchAll(PICTURE)) {
    const [raw, text = "", href = ""] = found;
    plain(from, found.index);
    tokens.push({ type: "image", raw, href, text, title: null, tokens: [] });
    from = found.index + raw.length;
  }
  plain(from, src.length);
  return tokens;
}

export interface Lexed {
  tokens: Token[];
  /** What `[name]: address` lines have said so far. */
  links: Links;
}

/** `known`: definitions from before this text. */
export function lexMarkdown(text: string, known: Links = {}): Lexed {
  const lexer = new BoundedLexer({ gfm: true, tokenizer: new BoundedTokenizer() });
  Object.assign(lexer.tokens.links, known);
  const tokens = lexer.lex(text);
  return { tokens: [...tokens], links: { ...tokens.links } };
}
