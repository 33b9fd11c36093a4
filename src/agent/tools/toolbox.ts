// Checks and lists the tools of an agent. The author's own tools are checked when the agent is created; tools of a
// source are listed again before each step. Each tool is compiled once.
import { ClientError, compileSchema } from "../../client/index.ts";
import type { SchemaResult, CompiledSchema } from "../../client/index.ts";
import { notifyListener } from "../../calls/index.ts";
import type { FunctionTool, ProviderTool, Tool } from "../../model/index.ts";
import { isObject, describeKind } from "../../model/value-kind.ts";
import { pointerStep } from "../../model/json/pointer.ts";
import { AgentError } from "../errors.ts";
import { describeThrown } from "./tool-results.ts";
import type { AgentOptions, AgentTool, ToolSource } from "../types.ts";

type ToolInput = AgentTool | ToolSource | ProviderTool;
/** A tool with its path for errors. `isFromSource` is true if the tool was not written by the agent's author. */
interface LocatedTool {
  readonly tool: AgentTool | ProviderTool;
  readonly path: string;
  readonly isFromSource: boolean;
}

/** A checked tool with its declaration for the model. */
export interface CheckedTool {
  readonly tool: AgentTool;
  readonly declaration: FunctionTool;
  /** Checks the arguments of a call and returns the input of the tool. */
  check(input: unknown): Promise<SchemaResult<unknown>>;
}

/** The tools of one step. */
export interface StepTools {
  /** The declarations for the model. */
  readonly declarations: Tool[];
  readonly byName: ReadonlyMap<string, CheckedTool>;
}

export class Toolbox {
  readonly #inputs: readonly ToolInput[];
  readonly #checkedTools = new WeakMap<AgentTool, CheckedTool>();
  readonly #onProblem: AgentOptions["onProblem"];
  /**
   * The path of each tool in the last listing (such as "/tools/0"), by the name of the tool; undefined before the first
   * listing.
   */
  #lastPaths: ReadonlyMap<string, string> | undefined;
  /** The paths of dropped tools that were already reported. */
  readonly #reportedPaths = new Set<string>();

  /** Checks the tools that are not from a source. Throws an `AgentError` "invalid-tool" for an invalid tool. */
  constructor(inputs: readonly ToolInput[], onProblem?: AgentOptions["onProblem"]) {
    this.#onProblem = onProblem;
    if (!Array.isArray(inputs))
      throw invalidToolError("/tools", `\`tools\` must be a list, found ${describeKind(inputs)}.`);
    // The list is copied, because the caller may change it.
    this.#inputs = [...inputs];
    this.#assemble(
      this.#inputs.flatMap((each, index): LocatedTool[] => {
        const path = `/tools/${index}`;
        return isSource(each, path) ? [] : [{ tool: each, path, isFromSource: false }];
      }),
    );
  }

  /** Returns the current tools, including those that the sources list now. */
  async current(): Promise<StepTools> {
    const listings = this.#inputs.map(async (each, index): Promise<LocatedTool[]> => {
      const path = `/tools/${index}`;
      return isSource(each, path) ? listSourceTools(each, path) : [{ tool: each, path, isFromSource: false }];
    });
    const all = (await Promise.all(listings)).flat();
    const unique = this.#lastPaths === undefined ? all : this.#dropLaterDuplicates(all, this.#lastPaths);
    const tools = this.#assemble(unique);
    this.#lastPaths = new Map(unique.map(({ tool, path }) => [tool.name, path]));
    return tools;
  }

  /**
   * Of several tools with the same name, returns only the one that had the name in the last listing, or else the first.
   * The others are reported and dropped; this is not an error, because a source must not break a working agent.
   */
  #dropLaterDuplicates(all: readonly LocatedTool[], lastPaths: ReadonlyMap<string, string>): LocatedTool[] {
    const byName = new Map<string, LocatedTool>();
    for (const each of all) {
      if (isProviderTool(each.tool)) continue;
      const { name } = each.tool;
      const other = byName.get(name);
      const isFirst = other === undefined || (lastPaths.get(name) === each.path && other.path !== each.path);
      if (isFirst) byName.set(name, each);
      if (other !== undefined) this.#reportDropped(name, isFirst ? other.path : each.path);
    }
    return all.filter((each) => isProviderTool(each.tool) || byName.get(each.tool.name) === each);
  }

  /** Reports a dropped tool only once, because the tools are listed before every step. */
  #reportDropped(name: string, path: string): void {
    const onProblem = this.#onProblem;
    const reportedPaths = this.#reportedPaths;
    if (reportedPaths.has(path)) return;
    reportedPaths.add(path);
    const problem = invalidToolError(path, `${duplicateNameMessage(name)} The tool at this path is dropped.`);
    if (onProblem !== undefined) void notifyListener(() => onProblem(problem));
  }

  /** Closes every source, even if closing one of them fails; then throws the first failure. */
  async close(): Promise<void> {
    const sources = this.#inputs.flatMap((each, index) => (isSource(each, `/tools/${index}`) ? [each] : []));
    const closing = sources.map(async (source) => source.close?.());
    await Promise.allSettled(closing);
    await Promise.all(closing);
  }

  #assemble(all: readonly LocatedTool[]): StepTools {
    const providerToolNames = new Set(all.flatMap(({ tool }) => (isProviderTool(tool) ? [tool.name] : [])));
    const byName = new Map<string, CheckedTool>();
    const declarations: Tool[] = [];
    for (const { tool, path, isFromSource } of all) {
      if (isProviderTool(tool)) {
        declarations.push(tool);
        continue;
      }
      const checked = this.#checkOnce(tool, path, isFromSource);
      const { name } = checked.declaration;
      if (byName.has(name)) {
        throw invalidToolError(path, duplicateNameMessage(name));
      }
      byName.set(name, checked);
      if (!providerToolNames.has(name)) declarations.push(checked.declaration);
    }
    return { declarations, byName };
  }

  #checkOnce(tool: AgentTool, path: string, isFromSource: boolean): CheckedTool {
    const cached = this.#checkedTools.get(tool);
    if (cached !== undefined) return cached;
    const checked = checkTool(tool, path, isFromSource);
    this.#checkedTools.set(tool, checked);
    return checked;
  }
}

function duplicateNameMessage(name: string): string {
  return `Two tools have the name "${name}"; rename one, or set the \`prefix\` of its MCP server.`;
}

function invalidToolError(path: string, message: string, cause?: unknown): AgentError {
  return new AgentError("invalid-tool", message, cause === undefined ? { path } : { path, cause });
}

/** Returns the tools of a source. Every failure of the source becomes an `AgentError` with the name of the source. */
async function listSourceTools(source: ToolSource, basePath: string): Promise<LocatedTool[]> {
  const path = basePath + pointerStep(source.name);
  let listed: unknown;
  try {
    listed = await source.tools();
  } catch (cause) {
    if (cause instanceof AgentError) throw cause;
    const message = `The tools of "${source.name}" could not be listed: ${describeThrown(cause)}`;
    throw new AgentError("source-failed", message, { path, cause });
  }
  if (!Array.isArray(listed)) {
    throw invalidToolError(path, `The tools of "${source.name}" must be a list, found ${describeKind(listed)}.`);
  }
  return listed.map((tool: AgentTool, index): LocatedTool => {
    if (!isObject(tool))
      throw invalidToolError(`${path}/${index}`, `A tool must be an object, found ${describeKind(tool)}.`);
    const step = typeof tool.name === "string" ? pointerStep(tool.name) : `/${index}`;
    return { tool, path: path + step, isFromSource: true };
  });
}

function isProviderTool(tool: AgentTool | ProviderTool): tool is ProviderTool {
  return "type" in tool && tool.type === "provider";
}

function isSource(input: ToolInput, path: string): input is ToolSource {
  if (!isObject(input)) throw invalidToolError(path, `A tool must be an object, found ${describeKind(input)}.`);
  return "tools" in input && typeof input.tools === "function";
}

/** Checks a tool and compiles its schema, so that a mistake is reported before a run begins. */
function checkTool(tool: AgentTool, path: string, isFromSource: boolean): CheckedTool {
  const { name, description, format, strict, retry, timeoutMs } = tool;
  if (typeof name !== "string" || name === "") throw invalidToolError(`${path}/name`, "A tool needs a name.");
  checkFields(tool, path, isFromSource);
  if (typeof tool.run !== "function")
    throw invalidToolError(`${path}/run`, `The tool "${name}" has no function \`run\`.`);
  if (retry !== undefined && retry !== "safe" && retry !== "never") {
    throw invalidToolError(`${path}/retry`, `\`retry\` of the tool "${name}" must be "safe" or "never".`);
  }
  if (timeoutMs !== undefined && !(typeof timeoutMs === "number" && timeoutMs > 0)) {
    throw invalidToolError(`${path}/timeoutMs`, `\`timeoutMs\` of the tool "${name}" must be a number above 0.`);
  }
  const schema = compileToolSchema(tool, path, isFromSource);
  const declaration: FunctionTool = { type: "function", name };
  if (description !== undefined) declaration.description = description;
  if (schema !== undefined && format !== "text") declaration.inputSchema = schema.json;
  if (strict !== undefined) declaration.strict = strict;
  if (format !== undefined) declaration.format = format;
  return { tool, declaration, check: schema === undefined ? createTypeCheck(format) : (input) => schema.check(input) };
}

/** The names of all fields of a tool. The type makes the compiler report a missing name. */
const TOOL_FIELDS: Record<keyof AgentTool, true> = {
  name: true,
  description: true,
  input: true,
  inputSchema: true,
  format: true,
  strict: true,
  retry: true,
  timeoutMs: true,
  run: true,
};
/** Names that other libraries use for a field of a tool, with the name of that field in Koine. */
const FIELD_SYNONYMS: Readonly<Record<string, keyof AgentTool>> = {
  parameters: "input",
  schema: "input",
  execute: "run",
  handler: "run",
};

/**
 * Throws for an unknown field, which would have no effect. Instances of classes may have any field; plain objects from
 * a source may have any field except the names in `FIELD_SYNONYMS`.
 */
function checkFields(tool: AgentTool, path: string, isFromSource: boolean): void {
  const prototype: unknown = Object.getPrototypeOf(tool);
  const isPlain = prototype === Object.prototype || prototype === null;
  if (!isPlain) return;
  const isWrong = (field: string): boolean =>
    Object.hasOwn(FIELD_SYNONYMS, field) || (!isFromSource && !Object.hasOwn(TOOL_FIELDS, field));
  const unknown = Object.keys(tool).find(isWrong);
  if (unknown === undefined) return;
  const ownName = Object.hasOwn(FIELD_SYNONYMS, unknown) ? FIELD_SYNONYMS[unknown] : undefined;
  const fields = Object.keys(TOOL_FIELDS).join(", ");
  const advice = ownName === undefined ? `The fields are: ${fields}.` : `It is called \`${ownName}\`.`;
  throw invalidToolError(
    path + pointerStep(unknown),
    `A tool has no field "${unknown}" (in "${tool.name}"). ${advice}`,
  );
}

/**
 * Compiles the schema of a tool; returns undefined if the tool has none. An invalid schema of a source's tool is still
 * sent to the model, but arguments are not checked by it.
 */
function compileToolSchema(tool: AgentTool, path: string, isFromSource: boolean): CompiledSchema | undefined {
  const { name, input, inputSchema, format } = tool;
  const schema = input ?? inputSchema;
  if (schema === undefined) return undefined;
  const basePath = `${path}/${input === undefined ? "inputSchema" : "input"}`;
  try {
    return compileSchema(schema, { inputSchema, path: basePath });
  } catch (error) {
    if (!(error instanceof ClientError)) throw error;
    const json = inputSchema ?? input;
    if (isFromSource && isObject(json) && !("~standard" in json)) return { json, check: createTypeCheck(format) };
    throw invalidToolError(error.path === "" ? basePath : error.path, `The tool "${name}": ${error.message}`, error);
  }
}

/** Creates the check of a tool without a schema: any object, or any string for a free-text tool. */
function createTypeCheck(format: AgentTool["format"]): (input: unknown) => Promise<SchemaResult<unknown>> {
  const isValid = format === "text" ? (input: unknown) => typeof input === "string" : isObject;
  const expected = format === "text" ? "a string" : "an object";
  return async (input) =>
    isValid(input)
      ? { ok: true, value: input }
      : { ok: false, issues: [{ path: "", message: `Expected ${expected}, found ${describeKind(input)}.` }] };
}
