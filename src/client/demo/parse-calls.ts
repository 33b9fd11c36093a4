// Parses the command `call`: tool names with optional arguments, joined by "and" (parallel) or "then" (next step).

/** A tool call that a user message requests. */
export interface RequestedCall {
  /** The tool name in the message, which may not be the name of an offered tool. */
  name: string;
  /** The text of the arguments in the message; if absent, arguments are generated from the schema of the tool. */
  argumentsText?: string;
}

const CALL_SEPARATOR = /^(?:\s*(?:,|;|\+|&|and\b|then\b))+\s*/i;
const NAME = /^[^\s,;{}[\]"]+/;
const OPENING = /^["[{]/;

/**
 * Parses the steps of a `call` command: `a {"x": 1} and b then c` has two steps. Text that cannot be parsed ends the
 * list.
 */
export function parseCalls(text: string): RequestedCall[][] {
  const steps: RequestedCall[][] = [];
  let step: RequestedCall[] = [];
  let rest = text.trim();
  for (;;) {
    const [name] = NAME.exec(rest) ?? [];
    if (name === undefined) break;
    rest = rest.slice(name.length).trimStart();
    const call: RequestedCall = { name };
    if (OPENING.test(rest)) {
      call.argumentsText = rest.slice(0, findValueEnd(rest));
      rest = rest.slice(call.argumentsText.length);
    }
    step.push(call);
    const [separator] = CALL_SEPARATOR.exec(rest) ?? [];
    if (separator === undefined) break;
    if (/then|;/i.test(separator)) {
      steps.push(step);
      step = [];
    }
    rest = rest.slice(separator.length);
  }
  if (step.length > 0) steps.push(step);
  return steps;
}

/**
 * Returns the index after the JSON value with which the text begins. A value without an end takes the rest of the text,
 * so that the demo makes a call with invalid arguments.
 */
function findValueEnd(text: string): number {
  let depth = 0;
  let quoted = false;
  for (let at = 0; at < text.length; at++) {
    const character = text[at];
    if (quoted && character === "\\") at++;
    else if (character === '"') quoted = !quoted;
    else if (!quoted && (character === "{" || character === "[")) depth++;
    else if (!quoted && (character === "}" || character === "]")) depth--;
    if (depth === 0 && !quoted) return at + 1;
  }
  return text.length;
}
