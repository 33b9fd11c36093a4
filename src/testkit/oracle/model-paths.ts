// Tests whether the path of a canonical value leads to an enumerated value, a reformatted value, an id or base64. The
// patterns are anchored to messages, parts, requests and responses, so that a `type` or `role` inside a tool's input,
// metadata or residue counts as the user's data.

const MESSAGE = String.raw`(?:/messages?|/alternatives/\d+/message)?(?:/\d+)?`;
const CONTENT = String.raw`/parts/\d+(?:/content/\d+)*`;
const PART = MESSAGE + CONTENT;
const SEAL = String.raw`${PART}(?:/annotations/\d+)?/seals/\d+`;
const RESIDUE = String.raw`${PART}(?:/annotations/\d+|/logprobs/\d+(?:/top/\d+)*)?/extra`;
const FINISH_REASON = String.raw`${MESSAGE}(?:/metadata)?(?:/alternatives/\d+)?/finishReason`;

/** The path of a part in a request or response; a part in a list of messages does not match. */
const SENT_PART = String.raw`(?:/messages/\d+|/message|/alternatives/\d+/message)${CONTENT}`;
/**
 * The paths of the issuer's fields in seals and files. These fields are not on the wire: a provider is implicitly the
 * issuer of the seals on its own wire, and seals of other issuers are dropped and reported (B5).
 */
const ISSUER = String.raw`${SENT_PART}(?:(?:/annotations/\d+)?/seals/\d+|/issuer)/(?:dialect|provider|model)`;
const REQUEST_ENUM = String.raw`/toolChoice(?:/mode)?|/reasoning/effort|/output/type|/tools/\d+/(?:type|dialect)`;
const RESPONSE_ENUM = String.raw`(?:/alternatives/\d+)?/finishReason/raw|/error/kind`;
/** Raw provider data, which are only informative; encoders need not write them. */
const RAW = String.raw`/(?:usage|error)/raw(?:/[^]*)?`;

/** Matches paths of enumerated values, which an encoder maps with a table or which a wire field implies. */
const VOCABULARY = new RegExp(
  String.raw`^(?:${MESSAGE}/role|${PART}/(?:type|dialect)|${SEAL}/(?:dialect|kind)|${PART}/annotations/\d+/kind|${FINISH_REASON}/unified|${ISSUER}|${REQUEST_ENUM}|${RESPONSE_ENUM}|${RAW})$`,
);

/** The path of a `type` keyword of a JSON schema, but not of a `type` in an enum, const, default or example value. */
const SCHEMA_TYPE = String.raw`/(?:tools/\d+/(?:in|out)putSchema|output/schema)(?![^]*/(?:enum|const|default|examples?)/)[^]*/type(?:/\d+)?`;

/** Matches paths of values with another notation on the wire: the output depends on them, but need not contain them. */
const REFORMATTED = new RegExp(
  String.raw`^(?:${PART}/(?:mimeType|executor|format|cache/ttl|issuer/dialect)|/tools/\d+/(?:format|cache/ttl)|/createdAt|${SCHEMA_TYPE})$`,
);

const TOOL_NAME = new RegExp(String.raw`^${PART}/toolName$`);
const ANY_TOOL_NAME = new RegExp(
  String.raw`^(?:${PART}/toolName|/tools/\d+/name|/toolChoice/toolName|/toolChoice/toolNames/\d+)$`,
);
const CALL_ID = new RegExp(String.raw`^${PART}/toolCallId$`);

/** Matches paths of values that a test must not change: enumerated values, call ids, tool names, base64, JSON texts. */
const LITERAL = new RegExp(
  String.raw`^${PART}/(?:data|inputText|tool|issuer/dialect)$|${CALL_ID.source}|${ANY_TOOL_NAME.source}|${REFORMATTED.source}|${VOCABULARY.source}`,
);

const PART_PATH = new RegExp(`^${PART}$`);
const SENT_PART_PATH = new RegExp(`^${SENT_PART}$`);
const RESIDUE_PATH = new RegExp(`^${RESIDUE}$`);
const INPUT_TEXT = new RegExp(String.raw`^${PART}/inputText$`);
const BASE64_DATA = new RegExp(String.raw`^${PART}/data$`);
const CITATION_SOURCE = new RegExp(String.raw`^${PART}/annotations/\d+/(?:url|title|fileId|source)$`);
const USAGE_COUNT = new RegExp(String.raw`^/usage/[^/]*$`);

export function isVocabulary(path: string): boolean {
  return VOCABULARY.test(path);
}

export function isReformatted(path: string): boolean {
  return REFORMATTED.test(path);
}

export function isLiteral(path: string): boolean {
  return LITERAL.test(path);
}

/** True for the path of the JSON text of a call's input. */
export function isInputText(path: string): boolean {
  return INPUT_TEXT.test(path);
}

/** True for the path of the tool name of a call or result. */
export function isToolName(path: string): boolean {
  return TOOL_NAME.test(path);
}

/**
 * Returns "id" for the path of a call id and "name" for the path of a tool name; otherwise undefined. Parts with equal
 * ids or names belong together, so a test must change them together.
 */
export function readLinkKind(path: string): "id" | "name" | undefined {
  if (CALL_ID.test(path)) return "id";
  return ANY_TOOL_NAME.test(path) ? "name" : undefined;
}

export function isBase64(path: string): boolean {
  return BASE64_DATA.test(path);
}

/**
 * True for the path of a field that names the source of an annotation (URL, title or file id). A wire may contain the
 * source only once for several citations.
 */
export function isCitationSource(path: string): boolean {
  return CITATION_SOURCE.test(path);
}

/** True for the path of a usage count, which an encoder may write as a sum or a difference. */
export function isUsageCount(path: string): boolean {
  return USAGE_COUNT.test(path);
}

export function isPart(path: string): boolean {
  return PART_PATH.test(path);
}

/** True for the path of a part in a request or response; false for a part in a list of messages. */
export function isSentPart(path: string): boolean {
  return SENT_PART_PATH.test(path);
}

/** True for the path of the residue of a part, an annotation or a logprob. */
export function isResidue(path: string): boolean {
  return RESIDUE_PATH.test(path);
}
