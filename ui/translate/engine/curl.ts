// Extracts the body of a curl command. Supports the shell syntax of commands that browsers and API documentation
// produce, not the whole syntax.

const BODY_OPTIONS: ReadonlySet<string> = new Set([
  "-d",
  "--data",
  "--data-raw",
  "--data-binary",
  "--data-ascii",
  "--data-urlencode",
  "--json",
]);

/** Returns the body of a curl command; undefined if the text is not a curl command or has no body. */
export function readCurlBody(text: string): string | undefined {
  if (!/^\s*(?:[$#%>]\s*)?curl(?:\.exe)?\s/.test(text)) return undefined;
  const heredoc = readHeredoc(text);
  const shellArguments = splitShellArguments(heredoc?.command ?? text);
  const values: string[] = [];
  for (const [at, argument] of shellArguments.entries()) {
    const value = BODY_OPTIONS.has(argument) ? shellArguments[at + 1] : readJoinedValue(argument);
    if (value === undefined) continue;
    if (value === "@-" && heredoc !== undefined) values.push(heredoc.body);
    else if (!value.startsWith("@")) values.push(value);
  }
  return values.length === 0 ? undefined : values.join("&");
}

/** Returns the value of an argument such as `--data=…` or `-d…`; undefined for other arguments. */
function readJoinedValue(argument: string): string | undefined {
  const [name = "", ...rest] = argument.split("=");
  if (rest.length > 0 && BODY_OPTIONS.has(name)) return rest.join("=");
  return /^-d./s.test(argument) ? argument.slice(2) : undefined;
}

/** Splits a text with a heredoc such as `<<'JSON'` into command and body; undefined if there is no heredoc. */
function readHeredoc(text: string): { command: string; body: string } | undefined {
  const [mark, , delimiter = ""] = /<<-?\s*(['"]?)(\w+)\1[^\n]*\n/.exec(text) ?? [];
  if (mark === undefined) return undefined;
  const at = text.indexOf(mark);
  const after = text.slice(at + mark.length);
  const end = new RegExp(`^\\s*${delimiter}\\s*$`, "m").exec(after);
  return { command: text.slice(0, at), body: end === null ? after : after.slice(0, end.index) };
}

const SPACE = /^\s$/;

/** Splits a command into arguments. Handles quotes, escapes and line continuations; variables are not expanded. */
function splitShellArguments(command: string): string[] {
  const shellArguments: string[] = [];
  let argument: string | undefined;
  for (let at = 0; at < command.length;) {
    const token = readToken(command, at);
    at = token.end;
    if (token.text === undefined) {
      if (argument !== undefined) shellArguments.push(argument);
      argument = undefined;
    } else argument = (argument ?? "") + token.text;
  }
  if (argument !== undefined) shellArguments.push(argument);
  return shellArguments;
}

interface ShellToken {
  /** Text that belongs to an argument; undefined for white space between arguments. */
  text: string | undefined;
  end: number;
}

function readToken(command: string, at: number): ShellToken {
  const character = command[at] ?? "";
  if (SPACE.test(character)) return { text: undefined, end: at + 1 };
  if (character === "'") {
    const end = command.indexOf("'", at + 1);
    return { text: command.slice(at + 1, end < 0 ? undefined : end), end: end < 0 ? command.length : end + 1 };
  }
  if (character === '"')
    return readQuoted(command, at + 1, '"', (inside) => inside.replaceAll(/\\(["\\$`]|\n)/g, unescapeDoubleQuoted));
  if (command.startsWith("$'", at)) return readQuoted(command, at + 2, "'", readEscapes);
  // Line continuation: a backslash, in PowerShell a backtick, in cmd a caret.
  const next = /^(?:\\|`|\^)\r?\n/.exec(command.slice(at, at + 3));
  if (next !== null) return { text: undefined, end: at + next[0].length };
  return character === "\\" ? { text: command[at + 1] ?? "", end: at + 2 } : { text: character, end: at + 1 };
}

/** Reads a quoted text up to the next unescaped quote, and converts it with `read`. */
function readQuoted(command: string, from: number, quote: string, read: (inside: string) => string): ShellToken {
  let at = from;
  while (at < command.length && command[at] !== quote) at += command[at] === "\\" ? 2 : 1;
  return { text: read(command.slice(from, at)), end: at + 1 };
}

function unescapeDoubleQuoted(_: string, sign: string): string {
  return sign === "\n" ? "" : sign;
}

const ESCAPES: Readonly<Record<string, string>> = { n: "\n", t: "\t", r: "\r", "\\": "\\", "'": "'", '"': '"' };

/** Decodes `$'It\'s \u00e9'`, which browsers use in "Copy as cURL". */
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
