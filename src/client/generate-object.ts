// An object instead of a text: the schema goes out with the request, and what comes back is read and judged by it.
import { closedSchema } from "../dialects/kit/closed-schema.ts";
import { strictFaults } from "../dialects/kit/strict.ts";
import { JsonError } from "../model/errors.ts";
import type { OutputFormat, ModelRequest, SchemaObject } from "../model/index.ts";
import { parseJson } from "../model/json.ts";
import { textOf } from "../model/message.ts";
import { assertRequestObject } from "./calls/check-options.ts";
import type { OutputErrorReason } from "./errors.ts";
import { OutputError } from "./errors.ts";
import { compileSchema } from "./schema/read.ts";
import { isStandardSchema } from "./schema/standard.ts";
import type { AnySchema, InferSchema, SchemaIssue } from "./schema/types.ts";
import type { Answer, CallOptions, ObjectAnswer, ObjectRequest } from "./types.ts";

type Complete = (request: ModelRequest, options?: CallOptions) => Promise<Answer>;

/**
 * Asks for an object that fits a schema. Throws an `OutputError`, with the answer and its text, where the answer is none.
 */
export async function generateObject<Schema extends AnySchema>(
  complete: Complete,
  request: ObjectRequest<Schema>,
  options?: CallOptions,
): Promise<ObjectAnswer<InferSchema<Schema>>> {
  assertRequestObject(request);
  const { schema, jsonSchema, name, description, ...rest } = request;
  const read = compileSchema(schema, { inputSchema: jsonSchema });
  const output: OutputFormat = { type: "json-schema", ...spoken(read.json, jsonSchema === undefined, schema) };
  if (name !== undefined) output.name = name;
  if (description !== undefined) output.description = description;
  const answer = await complete({ ...rest, output }, options);
  const value = readObject(answer);
  const checked = await read.check(value);
  if (checked.ok) return { object: checked.value, answer };
  throw fault("schema", answer, `It does not fit the schema: ${listed(checked.issues)}`, { issues: checked.issues });
}

/**
 * The schema as it is sent, and strict where it complies. What a Standard Schema says leaves its objects open only
 * because it would drop what is too much: closed, it is stricter with the model than with the answer.
 */
function spoken(json: SchemaObject, isOwnWord: boolean, schema: AnySchema): { schema: SchemaObject; strict?: boolean } {
  const wanted = isOwnWord && isStandardSchema(schema) ? closedSchema(json) : json;
  return strictFaults(wanted).length === 0 ? { schema: wanted, strict: true } : { schema: json };
}

/** The value that the answer holds. */
function readObject(answer: Answer): unknown {
  const { message, finishReason } = answer;
  const refused = message.parts.find((part) => part.type === "refusal");
  const { unified } = finishReason;
  if (refused !== undefined || unified === "refusal" || unified === "content-filter") {
    const words = refused?.text ?? "";
    throw fault("refused", answer, words === "" ? `It ended with ${unified}.` : `It says: ${words}`);
  }
  const text = lastText(answer);
  const wasCut = unified === "length" || unified === "pause";
  const cut = (cause?: unknown): OutputError =>
    fault("cut-off", answer, `It ended with ${unified} before the object was whole. Allow more output tokens.`, {
      cause,
    });
  if (text.trim() === "") {
    if (wasCut) throw cut();
    const calls = message.parts.flatMap((part) => (part.type === "tool-call" ? [part.toolName] : []));
    throw fault("empty", answer, calls.length > 0 ? `It calls ${calls.join(", ")} instead.` : "It has no text.");
  }
  try {
    const value = readText(text);
    // A number or a word that was cut is still one; lists and objects say where they end.
    if (wasCut && (typeof value !== "object" || value === null)) throw cut();
    return value;
  } catch (error) {
    if (!(error instanceof JsonError)) throw error;
    throw wasCut ? cut(error) : fault("not-json", answer, `It is no JSON: ${error.message}`, { cause: error });
  }
}

/** What was said last: text in front of a built-in tool's work is about that work. */
function lastText({ message: { parts } }: Answer): string {
  const after = parts.findLastIndex(({ type }) => type === "tool-call" || type === "tool-result");
  return textOf({ parts: parts.slice(after + 1) });
}

const BYTE_ORDER_MARK = "\uFEFF";

/** JSON, or JSON in the only Markdown fence of a text: not every provider can hold a model to the bare form. */
function readText(text: string): unknown {
  const bare = text.startsWith(BYTE_ORDER_MARK) ? text.slice(BYTE_ORDER_MARK.length) : text;
  try {
    return parseJson(bare);
  } catch (error) {
    const [only, ...others] = fencedIn(bare);
    if (only === undefined || others.length > 0) throw error;
    return parseJson(only);
  }
}

const MARKS = /^[ \t]*(`{3,}|~{3,})/;

/** The marks of a line that opens a fence; behind them stands at most a word about what is in it. */
function openingMarks(line: string): string {
  const [before = "", marks = ""] = MARKS.exec(line) ?? [];
  return marks.startsWith("`") && line.includes("`", before.length) ? "" : marks;
}

/** What stands in the fences of a text, line by line in one pass: the text is a model's, and may be anything. */
function fencedIn(text: string): string[] {
  const found: string[] = [];
  let marks = "";
  let within: string[] = [];
  for (const line of text.split("\n")) {
    const end = line.trimEnd();
    if (marks === "") {
      marks = openingMarks(line);
      within = [];
    } else if (end.endsWith(marks)) {
      found.push([...within, end.slice(0, -marks.length)].join("\n"));
      marks = "";
    } else within.push(line);
  }
  return found;
}

function listed(issues: readonly SchemaIssue[]): string {
  const shown = issues.slice(0, 3).map(({ path, message }) => `at "${path}": ${message}`);
  const more = issues.length > shown.length ? ` (and ${issues.length - shown.length} more in .issues)` : "";
  return shown.join(" ") + more;
}

function fault(
  kind: OutputErrorReason,
  answer: Answer,
  why: string,
  more: { issues?: readonly SchemaIssue[]; cause?: unknown } = {},
): OutputError {
  const { losses, attempts, provider, model } = answer;
  const lost = losses.find(({ path, level }) => level !== "note" && /^\/output(\/schema)?$/.test(path));
  const untold = lost === undefined ? "" : ` The provider was not told the whole schema: ${lost.message}`;
  const { cause, issues = [] } = more;
  return new OutputError(
    kind,
    `The answer of ${provider}/${model} is not the object that was asked for. ${why}${untold}`,
    {
      text: lastText(answer),
      response: answer,
      issues,
      provider,
      model,
      attempts,
      ...(cause !== undefined && { cause }),
    },
  );
}
