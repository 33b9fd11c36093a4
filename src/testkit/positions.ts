// Where in the model a word of its own vocabulary stands. Anchored to positions of messages and parts, so that a `type`
// or `role` in a tool's input, in metadata or in residue is the user's data, like every other string there.

const MESSAGE = String.raw`(?:/messages?|/alternatives/\d+/message)?(?:/\d+)?`;
const PART = String.raw`${MESSAGE}/parts/\d+(?:/content/\d+)*`;
const SEAL = String.raw`${PART}(?:/annotations/\d+)?/seals/\d+`;
const RESIDUE = String.raw`${PART}(?:/annotations/\d+|/logprobs/\d+(?:/top/\d+)*)?/extra`;
const ENDING = String.raw`${MESSAGE}(?:/metadata)?(?:/alternatives/\d+)?/finishReason`;

/** Words that a table maps to another word, or that a field of the wire implies; they are no content. */
const VOCABULARY = new RegExp(
  String.raw`^(?:${MESSAGE}/role|${PART}/(?:type|dialect)|${SEAL}/(?:dialect|kind)|${PART}/annotations/\d+/kind|${ENDING}/unified)$`,
);

/** Words that go out in another notation: a change of them must show, the word itself need not. */
const NOTATION = new RegExp(String.raw`^${PART}/(?:mimeType|executor|format|cache/ttl)$`);

/** Values that mean something as they are: words, ids that pair calls with results, base64, a text that is JSON. */
const LITERAL = new RegExp(
  String.raw`^${PART}/(?:data|inputText|toolCallId|toolName|tool|issuer/dialect)$|${NOTATION.source}|${VOCABULARY.source}`,
);

const A_PART = new RegExp(`^${PART}$`);
const A_RESIDUE = new RegExp(`^${RESIDUE}$`);
const TOOL_NAME = new RegExp(String.raw`^${PART}/toolName$`);
const INPUT_TEXT = new RegExp(String.raw`^${PART}/inputText$`);

export function isVocabulary(path: string): boolean {
  return VOCABULARY.test(path);
}

export function isNotation(path: string): boolean {
  return NOTATION.test(path);
}

export function isLiteral(path: string): boolean {
  return LITERAL.test(path);
}

/** The spelling of a call's input. */
export function isInputText(path: string): boolean {
  return INPUT_TEXT.test(path);
}

export function isToolName(path: string): boolean {
  return TOOL_NAME.test(path);
}

export function isPart(path: string): boolean {
  return A_PART.test(path);
}

/** What a dialect said that the model has no word for, on a part or within one. */
export function isResidue(path: string): boolean {
  return A_RESIDUE.test(path);
}
