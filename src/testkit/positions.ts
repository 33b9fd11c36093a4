// Where in the model a word of its own vocabulary stands. Anchored to positions of messages and parts, of requests and
// responses, so that a `type` or `role` in a tool's input, in metadata or in residue is the user's data, like every
// other string there.

const MESSAGE = String.raw`(?:/messages?|/alternatives/\d+/message)?(?:/\d+)?`;
const CONTENT = String.raw`/parts/\d+(?:/content/\d+)*`;
const PART = MESSAGE + CONTENT;
const SEAL = String.raw`${PART}(?:/annotations/\d+)?/seals/\d+`;
const RESIDUE = String.raw`${PART}(?:/annotations/\d+|/logprobs/\d+(?:/top/\d+)*)?/extra`;
const ENDING = String.raw`${MESSAGE}(?:/metadata)?(?:/alternatives/\d+)?/finishReason`;

/** A part of a request or response, which goes to or comes from a provider; a bare list of messages may go anywhere. */
const SENT = String.raw`(?:/messages/\d+|/message|/alternatives/\d+/message)${CONTENT}`;
/** A wire does not repeat who issued what is its own; what is another's is left out and reported (B5). */
const ISSUER = String.raw`${SENT}(?:(?:/annotations/\d+)?/seals/\d+|/issuer)/(?:dialect|provider|model)`;
const SETTING = String.raw`/toolChoice(?:/mode)?|/reasoning/effort|/output/type|/tools/\d+/(?:type|dialect)`;
const OUTCOME = String.raw`(?:/alternatives/\d+)?/finishReason/raw|/error/kind`;
/** The provider's own words, for people; no encoder need read them. */
const RAW = String.raw`/(?:usage|error)/raw(?:/[^]*)?`;

/** Words that a table maps to another word, or that a field of the wire implies; they are no content. */
const VOCABULARY = new RegExp(
  String.raw`^(?:${MESSAGE}/role|${PART}/(?:type|dialect)|${SEAL}/(?:dialect|kind)|${PART}/annotations/\d+/kind|${ENDING}/unified|${ISSUER}|${SETTING}|${OUTCOME}|${RAW})$`,
);

/** A type in a schema; not one in a value that the schema names. */
const SCHEMA_TYPE = String.raw`/(?:tools/\d+/(?:in|out)putSchema|output/schema)(?![^]*/(?:enum|const|default|examples?)/)[^]*/type(?:/\d+)?`;

/** Words that go out in another notation: a change of them must show, the word itself need not. */
const NOTATION = new RegExp(
  String.raw`^(?:${PART}/(?:mimeType|executor|format|cache/ttl|issuer/dialect)|/tools/\d+/(?:format|cache/ttl)|/createdAt|${SCHEMA_TYPE})$`,
);

const TOOL_NAME = new RegExp(String.raw`^${PART}/toolName$`);
const ANY_TOOL_NAME = new RegExp(
  String.raw`^(?:${PART}/toolName|/tools/\d+/name|/toolChoice/toolName|/toolChoice/toolNames/\d+)$`,
);
const CALL_ID = new RegExp(String.raw`^${PART}/toolCallId$`);

/** Values that mean something as they are: words, ids that pair calls with results, base64, a text that is JSON. */
const LITERAL = new RegExp(
  String.raw`^${PART}/(?:data|inputText|tool|issuer/dialect)$|${CALL_ID.source}|${ANY_TOOL_NAME.source}|${NOTATION.source}|${VOCABULARY.source}`,
);

const A_PART = new RegExp(`^${PART}$`);
const A_SENT_PART = new RegExp(`^${SENT}$`);
const A_RESIDUE = new RegExp(`^${RESIDUE}$`);
const INPUT_TEXT = new RegExp(String.raw`^${PART}/inputText$`);
const DATA = new RegExp(String.raw`^${PART}/data$`);
const SOURCE = new RegExp(String.raw`^${PART}/annotations/\d+/(?:url|title|fileId|source)$`);
const USAGE = new RegExp(String.raw`^/usage/[^/]*$`);

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

/** The name on a call or result. */
export function isToolName(path: string): boolean {
  return TOOL_NAME.test(path);
}

/** What joins places by being the same in all of them: the id of a call, or the name of a tool. */
export function joins(path: string): "id" | "name" | undefined {
  if (CALL_ID.test(path)) return "id";
  return ANY_TOOL_NAME.test(path) ? "name" : undefined;
}

export function isBase64(path: string): boolean {
  return DATA.test(path);
}

/** What an annotation refers to; a wire may list a source once, however often it is cited. */
export function isSource(path: string): boolean {
  return SOURCE.test(path);
}

/** A count of a response's usage, which may go out as a sum or a difference. */
export function isCount(path: string): boolean {
  return USAGE.test(path);
}

export function isPart(path: string): boolean {
  return A_PART.test(path);
}

/** A part of a request or response. */
export function isSentPart(path: string): boolean {
  return A_SENT_PART.test(path);
}

/** What a dialect said that the model has no word for, on a part or within one. */
export function isResidue(path: string): boolean {
  return A_RESIDUE.test(path);
}
