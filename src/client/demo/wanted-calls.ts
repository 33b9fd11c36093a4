// The grammar of `call`: names of tools, each perhaps with its arguments, joined by "and" (at once) or "then" (next).

/** A call that a message asks for. */
export interface WantedCall {
  /** As the message spells it. */
  name: string;
  /** The arguments as written; absent: made up from the schema. */
  argumentsText?: string;
}

const JOINT = /^(?:\s*(?:,|;|\+|&|and\b|then\b))+\s*/i;
const NAME = /^[^\s,;{}[\]"]+/;
const OPENING = /^["[{]/;

/** Steps of calls: `a {"x": 1} and b then c` is two steps. What cannot be read ends the list. */
export function readWantedCalls(text: string): WantedCall[][] {
  const steps: WantedCall[][] = [];
  let step: WantedCall[] = [];
  let rest = text.trim();
  for (;;) {
    const [name] = NAME.exec(rest) ?? [];
    if (name === undefined) break;
    rest = rest.slice(name.length).trimStart();
    const call: WantedCall = { name };
    if (OPENING.test(rest)) {
      call.argumentsText = rest.slice(0, valueEnd(rest));
      rest = rest.slice(call.argumentsText.length);
    }
    step.push(call);
    const [joint] = JOINT.exec(rest) ?? [];
    if (joint === undefined) break;
    if (/then|;/i.test(joint)) {
      steps.push(step);
      step = [];
    }
    rest = rest.slice(joint.length);
  }
  if (step.length > 0) steps.push(step);
  return steps;
}

/** Where a JSON value ends; one that never ends takes the whole text, and is a call with broken arguments. */
function valueEnd(text: string): number {
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
