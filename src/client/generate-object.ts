// Implements `generateObject`: sends a schema with the request, then parses and validates the text of the answer.
import { closeSchema } from "../dialects/kit/schemas/closed-schema.ts";
import { findStrictFaults } from "../dialects/kit/schemas/strict-schema.ts";
import { JsonError } from "../model/errors.ts";
import type { OutputFormat, ModelRequest, SchemaObject } from "../model/index.ts";
import { parseJson } from "../model/json/index.ts";
import { getText } from "../model/message.ts";
import type { Answer, CallOptions } from "../calls/index.ts";
import { assertRequestObject } from "../calls/index.ts";
import type { OutputErrorReason } from "./output-error.ts";
import { OutputError } from "./output-error.ts";
import type { ObjectAnswer, ObjectRequest } from "./types.ts";
import { compileSchema } from "./schema/compile-schema.ts";
import { isStandardSchema } from "./schema/standard-schema.ts";
import type { AnySchema, InferSchema, SchemaIssue } from "./schema/types.ts";

type CompleteFunction = (request: ModelRequest, options?: CallOptions) => Promise<Answer>;

/**
 * Requests an object that matches a schema. Throws an `OutputError` with the answer and its text if the answer is not
 * such an object.
 */
export async function generateObject<Schema extends AnySchema>(
  complete: CompleteFunction,
  request: ObjectRequest<Schema>,
  options?: CallOptions,
): Promise<ObjectAnswer<InferSchema<Schema>>> {
  assertRequestObject(request);
  const { schema, jsonSchema, name, description, ...rest } = request;
  const compiled = compileSchema(schema, { inputSchema: jsonSchema });
  const output: OutputFormat = {
    type: "json-schema",
    ...toSentSchema(compiled.json, jsonSchema === undefined, schema),
  };
  if (name !== undefined) output.name = name;
  if (description !== undefined) output.description = description;
  const answer = await complete({ ...rest, output }, options);
  const value = readObject(answer);
  const checked = await compiled.check(value);
  if (checked.ok) return { object: checked.value, answer };
  throw outputError("schema", answer, `It does not match the schema: ${describeIssues(checked.issues)}`, {
    issues: checked.issues,
  });
}

/**
 * Returns the schema for the request, with `strict` if it complies with strict mode. A JSON Schema that was converted
 * from a Standard Schema allows unknown fields only because the validator removes them. Its closed copy, which allows
 * no unknown fields, is therefore sent if that copy complies.
 */
function toSentSchema(
  json: SchemaObject,
  isConverted: boolean,
  schema: AnySchema,
): { schema: SchemaObject; strict?: boolean } {
  const closed = isConverted && isStandardSchema(schema) ? closeSchema(json) : json;
  return findStrictFaults(closed).length === 0 ? { schema: closed, strict: true } : { schema: json };
}

/**
 * Parses the object in an answer. Throws an `OutputError` if the answer is a refusal, is cut off, or contains no JSON.
 */
function readObject(answer: Answer): unknown {
  const { message, finishReason } = answer;
  const refusal = message.parts.find((part) => part.type === "refusal");
  const { unified } = finishReason;
  if (refusal !== undefined || unified === "refusal" || unified === "content-filter") {
    const text = refusal?.text ?? "";
    throw outputError("refused", answer, text === "" ? `It ended with ${unified}.` : `It is a refusal: ${text}`);
  }
  const text = readLastText(answer);
  const wasCut = unified === "length" || unified === "pause";
  const cut = (cause?: unknown): OutputError =>
    outputError(
      "cut-off",
      answer,
      `It ended with ${unified} before the object was complete. Allow more output tokens.`,
      {
        cause,
      },
    );
  if (text.trim() === "") {
    if (wasCut) throw cut();
    const calls = message.parts.flatMap((part) => (part.type === "tool-call" ? [part.toolName] : []));
    throw outputError("empty", answer, calls.length > 0 ? `It calls ${calls.join(", ")} instead.` : "It has no text.");
  }
  try {
    const value = parseText(text);
    // If a number or a literal is cut off, the rest can still be valid JSON, so such a value of a cut-off answer is not
    // trusted. A list or an object that can be parsed is complete.
    if (wasCut && (typeof value !== "object" || value === null)) throw cut();
    return value;
  } catch (error) {
    if (!(error instanceof JsonError)) throw error;
    throw wasCut ? cut(error) : outputError("not-json", answer, `It is not JSON: ${error.message}`, { cause: error });
  }
}

/**
 * Returns the text after the last tool call or result. An answer with calls of a provider's own tools can contain text
 * before them, which is about the calls and not part of the object.
 */
function readLastText({ message: { parts } }: Answer): string {
  const after = parts.findLastIndex(({ type }) => type === "tool-call" || type === "tool-result");
  return getText({ parts: parts.slice(after + 1) });
}

const BYTE_ORDER_MARK = "\uFEFF";

/**
 * Parses a text that is JSON. Otherwise parses the content of its Markdown fence, if there is exactly one, because not
 * every provider can enforce plain JSON.
 */
function parseText(text: string): unknown {
  const bare = text.startsWith(BYTE_ORDER_MARK) ? text.slice(BYTE_ORDER_MARK.length) : text;
  try {
    return parseJson(bare);
  } catch (error) {
    const [only, ...others] = findFencedTexts(bare);
    if (only === undefined || others.length > 0) throw error;
    return parseJson(only);
  }
}

const FENCE_MARKS = /^[ \t]*(`{3,}|~{3,})/;

/**
 * Returns the backticks or tildes with which a line opens a Markdown fence; an empty string for any other line. By the
 * rules of Markdown, opening backticks must be the only backticks of their line.
 */
function openingMarks(line: string): string {
  const [before = "", marks = ""] = FENCE_MARKS.exec(line) ?? [];
  return marks.startsWith("`") && line.includes("`", before.length) ? "" : marks;
}

/**
 * Returns the contents of all Markdown fences of a text. The lines are read one by one, because the text is untrusted
 * and a regular expression could backtrack for a very long time.
 */
function findFencedTexts(text: string): string[] {
  const contents: string[] = [];
  let marks = "";
  let within: string[] = [];
  for (const line of text.split("\n")) {
    const end = line.trimEnd();
    if (marks === "") {
      marks = openingMarks(line);
      within = [];
    } else if (end.endsWith(marks)) {
      contents.push([...within, end.slice(0, -marks.length)].join("\n"));
      marks = "";
    } else within.push(line);
  }
  return contents;
}

function describeIssues(issues: readonly SchemaIssue[]): string {
  const shown = issues.slice(0, 3).map(({ path, message }) => `at "${path}": ${message}`);
  const more = issues.length > shown.length ? ` (and ${issues.length - shown.length} more in .issues)` : "";
  return shown.join(" ") + more;
}

function outputError(
  reason: OutputErrorReason,
  answer: Answer,
  why: string,
  more: { issues?: readonly SchemaIssue[]; cause?: unknown } = {},
): OutputError {
  const { losses, attempts, provider, model } = answer;
  const lost = losses.find(({ path, level }) => level !== "note" && /^\/output(\/schema)?$/.test(path));
  const schemaLoss = lost === undefined ? "" : ` The provider did not receive the whole schema: ${lost.message}`;
  const { cause, issues = [] } = more;
  return new OutputError(
    reason,
    `The answer of ${provider}/${model} is not the requested object. ${why}${schemaLoss}`,
    {
      text: readLastText(answer),
      response: answer,
      issues,
      provider,
      model,
      attempts,
      ...(cause !== undefined && { cause }),
    },
  );
}
