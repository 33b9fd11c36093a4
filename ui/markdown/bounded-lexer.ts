// Splits Markdown into tokens within limits, so that no text can exhaust the stack or take too long. Text beyond a
// limit becomes plain text. Formulas stay as written.
import { Lexer, type Links, type Token, Tokenizer, type Tokens } from "marked";

/** Maximum depth of nested quotes and lists. */
const MAX_NESTING = 16;
/** Maximum depth of nested emphasis and links. */
const MAX_EMPHASIS = 12;
/** Maximum number of table columns, because marked pads every row to the number of columns. */
const MAX_COLUMNS = 64;

// Limits for one piece of inline text, such as a paragraph or a table cell. In a larger piece, finding the pairs of
// emphasis marks and brackets would take too long.
const MAX_RUN_LENGTH = 16_384;
const MAX_EMPHASIS_MARKS = 300;
const MAX_BRACKETS = 1000;
const MAX_UNBROKEN_LENGTH = 4096;

/** Matches formulas between dollar signs; a closing dollar before a digit does not match, which excludes prices. */
const DOLLAR_FORMULA = /^(?:\$\$[^$]{1,2000}\$\$|\$(?![\s$])[^$\n]{0,500}[^\s$]\$(?!\d))/;
const ESCAPED_FORMULA = /^\\(?:\((?:(?!\\\))[\s\S]){1,2000}\\\)|\[(?:(?!\\\])[\s\S]){1,2000}\\\])/;

class BoundedTokenizer extends Tokenizer {
  #nesting = 0;
  #emphasis = 0;

  #withNesting<T>(lex: () => T): T | undefined {
    if (this.#nesting >= MAX_NESTING) return undefined;
    this.#nesting += 1;
    const token = lex();
    this.#nesting -= 1;
    return token;
  }

  #withEmphasis<T>(lex: () => T): T | undefined {
    if (this.#emphasis >= MAX_EMPHASIS) return undefined;
    this.#emphasis += 1;
    const token = lex();
    this.#emphasis -= 1;
    return token;
  }

  override blockquote(src: string): Tokens.Blockquote | undefined {
    return this.#withNesting(() => super.blockquote(src));
  }
  override list(src: string): Tokens.List | undefined {
    return this.#withNesting(() => super.list(src));
  }
  override emStrong(src: string, maskedSrc: string, prevChar?: string): Tokens.Em | Tokens.Strong | undefined {
    return this.#withEmphasis(() => super.emStrong(src, maskedSrc, prevChar));
  }
  override del(src: string, maskedSrc: string, prevChar?: string): Tokens.Del | undefined {
    return this.#withEmphasis(() => super.del(src, maskedSrc, prevChar));
  }
  override link(src: string): Tokens.Link | Tokens.Image | undefined {
    return this.#withEmphasis(() => super.link(src));
  }
  override reflink(src: string, links: Links): Tokens.Link | Tokens.Image | Tokens.Text | undefined {
    return this.#withEmphasis(() => super.reflink(src, links));
  }

  override table(src: string): Tokens.Table | undefined {
    return countUpTo(src, "|", src.indexOf("\n"), MAX_COLUMNS) > MAX_COLUMNS ? undefined : super.table(src);
  }

  override escape(src: string): Tokens.Escape | undefined {
    const formula = src.startsWith("\\") ? ESCAPED_FORMULA.exec(src)?.[0] : undefined;
    return formula === undefined ? super.escape(src) : { type: "escape", raw: formula, text: formula };
  }

  override inlineText(src: string): Tokens.Text | undefined {
    const formula = src.startsWith("$") ? DOLLAR_FORMULA.exec(src)?.[0] : undefined;
    if (formula !== undefined) return { type: "text", raw: formula, text: formula };
    const token = super.inlineText(src);
    // The text token ends before the next dollar sign, because a formula may start there.
    const dollar = token?.raw.indexOf("$", 1) ?? -1;
    return token === undefined || dollar < 0 ? token : { ...token, raw: token.raw.slice(0, dollar), text: "" };
  }
}

class BoundedLexer extends Lexer {
  override inlineTokens(src: string, tokens: Token[] = []): Token[] {
    if (!exceedsLimits(src)) return super.inlineTokens(src, tokens);
    tokens.push(...createPlainTokens(src));
    return tokens;
  }
}

function countUpTo(text: string, sign: string, end: number, most: number): number {
  let count = 0;
  for (let at = text.indexOf(sign); at >= 0 && at < end && count <= most; at = text.indexOf(sign, at + 1)) count += 1;
  return count;
}

const SPACE = 0x20;
const EMPHASIS_CODES = new Set("*_~".split("").map((sign) => sign.charCodeAt(0)));
const BRACKET_CODES = new Set("[<`!".split("").map((sign) => sign.charCodeAt(0)));

/**
 * True if a piece of inline text exceeds a limit. Reads each character at most once, because it runs before the slower
 * parsing.
 */
function exceedsLimits(src: string): boolean {
  if (src.length > MAX_RUN_LENGTH) return true;
  if (src.length <= MAX_EMPHASIS_MARKS) return false;
  let [marks, brackets, unbroken] = [0, 0, 0];
  for (let at = 0; at < src.length; at++) {
    const code = src.charCodeAt(at);
    unbroken = code <= SPACE ? 0 : unbroken + 1;
    if (EMPHASIS_CODES.has(code)) marks += 1;
    else if (BRACKET_CODES.has(code)) brackets += 1;
    if (marks > MAX_EMPHASIS_MARKS || brackets > MAX_BRACKETS || unbroken > MAX_UNBROKEN_LENGTH) return true;
  }
  return false;
}

/**
 * Matches images with a data URL. They are shown as images even in inline text that exceeds a limit, because such
 * images are the usual reason for its length.
 */
const IMAGE_DATA_URL = /!\[([^\]]{0,200})\]\((data:image\/[a-z+]{1,10};base64,[A-Za-z0-9+/=]+)\)/g;

function createPlainTokens(src: string): Token[] {
  const tokens: Token[] = [];
  const addPlain = (from: number, to: number): void => {
    if (to > from) tokens.push({ type: "plain", raw: src.slice(from, to) });
  };
  let from = 0;
  for (const match of src.matchAll(IMAGE_DATA_URL)) {
    const [raw, text = "", href = ""] = match;
    addPlain(from, match.index);
    tokens.push({ type: "image", raw, href, text, title: null, tokens: [] });
    from = match.index + raw.length;
  }
  addPlain(from, src.length);
  return tokens;
}

export interface LexedMarkdown {
  tokens: Token[];
  /** Link definitions (`[name]: url`) of this text and of the text before it. */
  links: Links;
}

/** Splits Markdown into tokens. `knownLinks` are the link definitions of the text that precedes `text`. */
export function lexMarkdown(text: string, knownLinks: Links = {}): LexedMarkdown {
  const lexer = new BoundedLexer({ gfm: true, tokenizer: new BoundedTokenizer() });
  Object.assign(lexer.tokens.links, knownLinks);
  const tokens = lexer.lex(text);
  return { tokens: [...tokens], links: { ...tokens.links } };
}
