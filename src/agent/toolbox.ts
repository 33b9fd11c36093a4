// The tools of an agent: checked when they are given, asked for anew before each step where they come from a source, and
// read once each.
import { ClientError, readSchema } from "../client/index.ts";
import type { Checked, ReadSchema } from "../client/index.ts";
import { tell } from "../client/tell.ts";
import type { FunctionTool, ProviderTool, Tool } from "../model/index.ts";
import { isObject, kindOf } from "../model/kind.ts";
import { pointerStep } from "../model/pointer.ts";
import { AgentError } from "./errors.ts";
import { messageOf } from "./results.ts";
import type { AgentOptions, AgentTool, ToolSource } from "./types.ts";

type Given = AgentTool | ToolSource | ProviderTool;
/** A tool, where it was given, for errors, and whether somebody else wrote it. */
interface Placed {
  readonly tool: AgentTool | ProviderTool;
  readonly path: string;
  readonly isForeign: boolean;
}

/** A tool that can be called. */
export interface ReadyTool {
  readonly tool: AgentTool;
  readonly declaration: FunctionTool;
  /** Whether arguments fit, and what the tool is given for them. */
  check(input: unknown): Promise<Checked<unknown>>;
}

/** The tools of one step. */
export interface Tools {
  /** As the model is told of them. */
  readonly declarations: Tool[];
  readonly byName: ReadonlyMap<string, ReadyTool>;
}

export class Toolbox {
  readonly #given: readonly Given[];
  readonly #read = new WeakMap<AgentTool, ReadyTool>();
  readonly #onProblem: AgentOptions["onProblem"];
  /** Where the tools of the last listing were given, by name. */
  #places: ReadonlyMap<string, string> | undefined;
  /** Where those were that are left out, and that was told. */
  readonly #leftOut = new Set<string>();

  /** Throws an `AgentError` "invalid-tool" for what can be seen at once. */
  constructor(given: readonly Given[], onProblem?: AgentOptions["onProblem"]) {
    this.#onProblem = onProblem;
    if (!Array.isArray(given)) throw invalidTool("/tools", `\`tools\` must be a list, found ${kindOf(given)}.`);
    // The caller may go on with the list.
    this.#given = [...given];
    this.#assemble(
      this.#given.flatMap((each, index): Placed[] => {
        const path = `/tools/${index}`;
        return isSource(each, path) ? [] : [{ tool: each, path, isForeign: false }];
      }),
    );
  }

  /** The tools as they are now. */
  async current(): Promise<Tools> {
    const found = this.#given.map(async (each, index): Promise<Placed[]> => {
      const path = `/tools/${index}`;
      return isSource(each, path) ? listedBy(each, path) : [{ tool: each, path, isForeign: false }];
    });
    const placed = (await Promise.all(found)).flat();
    const kept = this.#places === undefined ? placed : this.#withoutNewcomers(placed, this.#places);
    const tools = this.#assemble(kept);
    this.#places = new Map(kept.map(({ tool, path }) => [tool.name, path]));
    return tools;
  }

  /** A source that lists a name which another tool has by now must not end the runs of an agent that had worked. */
  #withoutNewcomers(found: readonly Placed[], places: ReadonlyMap<string, string>): Placed[] {
    const kept = new Map<string, Placed>();
    for (const each of found) {
      if (isProviderTool(each.tool)) continue;
      const { name } = each.tool;
      const other = kept.get(name);
      const isFirst = other === undefined || (places.get(name) === each.path && other.path !== each.path);
      if (isFirst) kept.set(name, each);
      if (other !== undefined) this.#tellLeftOut(name, isFirst ? other.path : each.path);
    }
    return found.filter((each) => isProviderTool(each.tool) || kept.get(each.tool.name) === each);
  }

  /** Once: the tools are listed before every step. */
  #tellLeftOut(name: string, path: string): void {
    const onProblem = this.#onProblem;
    const leftOut = this.#leftOut;
    if (leftOut.has(path)) return;
    leftOut.add(path);
    const problem = invalidTool(path, `${sameName(name)} The one that came later is left out.`);
    if (onProblem !== undefined) void tell(() => onProblem(problem));
  }

  /** Closes every source, also where one of them cannot be; then throws what that one threw. */
  async close(): Promise<void> {
    const sources = this.#given.flatMap((each, index) => (isSource(each, `/tools/${index}`) ? [each] : []));
    const closing = sources.map(async (source) => source.close?.());
    await Promise.allSettled(closing);
    await Promise.all(closing);
  }

  #assemble(found: readonly Placed[]): Tools {
    const ofProviders = new Set(found.flatMap(({ tool }) => (isProviderTool(tool) ? [tool.name] : [])));
    const byName = new Map<string, ReadyTool>();
    const declarations: Tool[] = [];
    for (const { tool, path, isForeign } of found) {
      if (isProviderTool(tool)) {
        declarations.push(tool);
        continue;
      }
      const ready = this.#ready(tool, path, isForeign);
      const { name } = ready.declaration;
      if (byName.has(name)) {
        throw invalidTool(path, sameName(name));
      }
      byName.set(name, ready);
      if (!ofProviders.has(name)) declarations.push(ready.declaration);
    }
    return { declarations, byName };
  }

  #ready(tool: AgentTool, path: string, isForeign: boolean): ReadyTool {
    const known = this.#read.get(tool);
    if (known !== undefined) return known;
    const ready = readTool(tool, path, isForeign);
    this.#read.set(tool, ready);
    return ready;
  }
}

function sameName(name: string): string {
  return `Two tools are called "${name}"; rename one, or give its MCP server a \`prefix\`.`;
}

function invalidTool(path: string, message: string, cause?: unknown): AgentError {
  return new AgentError("invalid-tool", message, cause === undefined ? { path } : { path, cause });
}

/** The tools of a source. Whatever it does wrong is told as an `AgentError` that names it. */
async function listedBy(source: ToolSource, place: string): Promise<Placed[]> {
  const path = place + pointerStep(source.name);
  let listed: unknown;
  try {
    listed = await source.tools();
  } catch (cause) {
    if (cause instanceof AgentError) throw cause;
    const message = `The tools of "${source.name}" could not be listed: ${messageOf(cause)}`;
    throw new AgentError("source-failed", message, { path, cause });
  }
  if (!Array.isArray(listed)) {
    throw invalidTool(path, `The tools of "${source.name}" must be a list, found ${kindOf(listed)}.`);
  }
  return listed.map((tool: AgentTool, index): Placed => {
    if (!isObject(tool)) throw invalidTool(`${path}/${index}`, `A tool must be an object, found ${kindOf(tool)}.`);
    const step = typeof tool.name === "string" ? pointerStep(tool.name) : `/${index}`;
    return { tool, path: path + step, isForeign: true };
  });
}

function isProviderTool(given: AgentTool | ProviderTool): given is ProviderTool {
  return "type" in given && given.type === "provider";
}

function isSource(given: Given, path: string): given is ToolSource {
  if (!isObject(given)) throw invalidTool(path, `A tool must be an object, found ${kindOf(given)}.`);
  return "tools" in given && typeof given.tools === "function";
}

/** Throws for a tool that cannot be called, because its mistake would otherwise show in the middle of a run. */
function readTool(tool: AgentTool, path: string, isForeign: boolean): ReadyTool {
  const { name, description, format, strict, retry, timeoutMs } = tool;
  if (typeof name !== "string" || name === "") throw invalidTool(`${path}/name`, "A tool needs a name.");
  checkFields(tool, path, isForeign);
  if (typeof tool.run !== "function") throw invalidTool(`${path}/run`, `The tool "${name}" has no function \`run\`.`);
  if (retry !== undefined && retry !== "safe" && retry !== "never") {
    throw invalidTool(`${path}/retry`, `\`retry\` of the tool "${name}" must be "safe" or "never".`);
  }
  if (timeoutMs !== undefined && !(typeof timeoutMs === "number" && timeoutMs > 0)) {
    throw invalidTool(`${path}/timeoutMs`, `\`timeoutMs\` of the tool "${name}" must be a number above 0.`);
  }
  const schema = schemaOf(tool, path, isForeign);
  const declaration: FunctionTool = { type: "function", name };
  if (description !== undefined) declaration.description = description;
  if (schema !== undefined && format !== "text") declaration.inputSchema = schema.json;
  if (strict !== undefined) declaration.strict = strict;
  if (format !== undefined) declaration.format = format;
  return { tool, declaration, check: schema === undefined ? kindCheck(format) : (input) => schema.check(input) };
}

/** Each name once, so that the compiler misses none. */
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
/** What other libraries call them. */
const OTHER_NAMES: Readonly<Record<string, keyof AgentTool>> = {
  parameters: "input",
  schema: "input",
  execute: "run",
  handler: "run",
};

/** Throws for a field that would have no effect. What is of a class or a source's may have others than these. */
function checkFields(tool: AgentTool, path: string, isForeign: boolean): void {
  const prototype: unknown = Object.getPrototypeOf(tool);
  const isPlain = prototype === Object.prototype || prototype === null;
  if (!isPlain) return;
  const isWrong = (field: string): boolean =>
    Object.hasOwn(OTHER_NAMES, field) || (!isForeign && !Object.hasOwn(TOOL_FIELDS, field));
  const unknown = Object.keys(tool).find(isWrong);
  if (unknown === undefined) return;
  const known = Object.hasOwn(OTHER_NAMES, unknown) ? OTHER_NAMES[unknown] : undefined;
  const fields = Object.keys(TOOL_FIELDS).join(", ");
  const advice = known === undefined ? `The fields are: ${fields}.` : `It is called \`${known}\`.`;
  throw invalidTool(path + pointerStep(unknown), `A tool has no field "${unknown}" (in "${tool.name}"). ${advice}`);
}

/** What somebody else wrote is shown to the model as it is, also where it is no schema that we can judge by. */
function schemaOf(tool: AgentTool, path: string, isForeign: boolean): ReadSchema | undefined {
  const { name, input, inputSchema, format } = tool;
  const schema = input ?? inputSchema;
  if (schema === undefined) return undefined;
  const place = `${path}/${input === undefined ? "inputSchema" : "input"}`;
  try {
    return readSchema(schema, { inputSchema, path: place });
  } catch (error) {
    if (!(error instanceof ClientError)) throw error;
    const shown = inputSchema ?? input;
    if (isForeign && isObject(shown) && !("~standard" in shown)) return { json: shown, check: kindCheck(format) };
    throw invalidTool(error.path === "" ? place : error.path, `The tool "${name}": ${error.message}`, error);
  }
}

/** Without a schema every object is taken, or every text. */
function kindCheck(format: AgentTool["format"]): (input: unknown) => Promise<Checked<unknown>> {
  const isRight = format === "text" ? (input: unknown) => typeof input === "string" : isObject;
  const wanted = format === "text" ? "a text" : "an object";
  return async (input) =>
    isRight(input)
      ? { ok: true, value: input }
      : { ok: false, issues: [{ path: "", message: `Expected ${wanted}, found ${kindOf(input)}.` }] };
}
