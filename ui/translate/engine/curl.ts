// The body that a curl command sends: the words of a shell, as far as commands that are copied have them.

const BODY_OPTIONS: ReadonlySet<string> = new Set([
  "-d",
  "--data",
  "--data-raw",
  "--data-binary",
  "--data-ascii",
  "--data-urlencode",
  "--json",
]);

/** undefined where it is no curl command, or one without a body. */
export function bodyOfCurl(text: string): string | undefined {
  if (!/^\s*(?:[$#%>]\s*)?curl(?:\.exe)?\s/.test(text)) return undefined;
  const here = hereDocument(text);
  const words = wordsOf(here?.command ?? text);
  const pieces: string[] = [];
  for (const [at, word] of words.entries()) {
    const value = BODY_OPTIONS.has(word) ? words[at + 1] : joinedValue(word);
    if (value === undefined) continue;
    if (value === "@-" && here !== undefined) pieces.push(here.body);
    else if (!value.startsWith("@")) pieces.push(value);
  }
  return pieces.length === 0 ? undefined : pieces.join("&");
}

/** `--data=…` and `-d…`. */
function joinedValue(word: string): string | undefined {
  const [name = "", ...rest] = word.split("=");
  if (rest.length > 0 && BODY_OPTIONS.has(name)) return rest.join("=");
  return /^-d./s.test(word) ? word.slice(2) : undefined;
}

/** `<<'JSON'` and the lines up to the one that is the word. */
function hereDocument(text: string): { command: string; body: string } | undefined {
  const [mark, , word = ""] = /<<-?\s*(['"]?)(\w+)\1[^\n]*\n/.exec(text) ?? [];
  if (mark === undefined) return undefined;
  const at = text.indexOf(mark);
  const after = text.slice(at + mark.length);
  const end = new RegExp(`^\\s*${word}\\s*$`, "m").exec(after);
  return { command: text.slice(0, at), body: end === null ? after : after.slice(0, end.index) };
}

const SPACE = /^\s$/;

/** A command as a shell takes it apart: quotes, escapes, and lines that go on. Variables stay as they are. */
function wordsOf(command: string): string[] {
  const words: string[] = [];
  let word: string | undefined;
  for (let at = 0; at < command.length;) {
    const piece = pieceAt(command, at);
    at = piece.end;
    if (piece.text === undefined) {
      if (word !== undefined) words.push(word);
      word = undefined;
    } else word = (word ?? "") + piece.text;
  }
  if (word !== undefined) words.push(word);
  return words;
}

interface Piece {
  /** undefined between words. */
  text: string | undefined;
  end: number;
}

function pieceAt(command: string, at: number): Piece {
  const sign = command[at] ?? "";
  if (SPACE.test(sign)) return { text: undefined, end: at + 1 };
  if (sign === "'") {
    const end = command.indexOf("'", at + 1);
    return { text: command.slice(at + 1, end < 0 ? undefined : end), end: end < 0 ? command.length : end + 1 };
  }
  if (sign === '"') return quoted(command, at + 1, '"', (inside) => inside.replaceAll(/\\(["\\$`]|\n)/g, kept));
  if (command.startsWith("$'", at)) return quoted(command, at + 2, "'", readEscapes);
  // At the end of a line it only says that the command goes on, in PowerShell and cmd with other signs.
  const next = /^(?:\\|`|\^)\r?\n/.exec(command.slice(at, at + 3));
  if (next !== null) return { text: undefined, end: at + next[0].length };
  return sign === "\\" ? { text: command[at + 1] ?? "", end: at + 2 } : { text: sign, end: at + 1 };
}

/** Up to a quote that is not escaped. */
function quoted(command: string, from: number, quote: string, read: (inside: string) => string): Piece {
  let at = from;
  while (at < command.length && command[at] !== quote) at += command[at] === "\\" ? 2 : 1;
  return { text: read(command.slice(from, at)), end: at + 1 };
}

function kept(_: string, sign: string): string {
  return sign === "\n" ? "" : sign;
}

const ESCAPES: Readonly<Record<string, string>> = { n: "\n", t: "\t", r: "\r", "\\": "\\", "'": "'", '"': '"' };

/** What browsers copy: `$'It\'s \u00e9'`. */
function readEscapes(inside: string): string {
  return inside.replaceAll(
    /\\(?:u([\da-f]{4})|x([\da-f]{2})|(.))/gis,
    (whole, unicode: string, byte: string, sign: string) => {
      const code = unicode ?? byte;
      if (code !== undefined) return String.fromCodePoint(Number.parseInt(code, 16));
      return ESCAPES[sign] ?? whole;
    },
  );
}
