// The tools of an agent: checked when they are given, asked for anew before each step where they come from a source, and
// read once each.
import { ClientError, readSchema } from "../client/index.ts";
import type { Checked, ReadSchema } from "../client/index.ts";
import type { FunctionTool, ProviderTool, Tool } from "../model/index.ts";
import { isObject, kindOf } from "../model/kind.ts";
import { pointerStep } from "../model/pointer.ts";
import { AgentError } from "./errors.ts";
import { messageOf } from "./results.ts";
import type { AgentTool, ToolSource } from "./types.ts";

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
  private readonly given: readonly Given[];
  private readonly read = new WeakMap<AgentTool, ReadyTool>();

  /** Throws an `AgentError` "invalid-tool" for what can be seen at once. */
  constructor(given: readonly Given[]) {
    if (!Array.isArray(given)) throw invalid("/tools", `\`tools\` must be a list, found ${kindOf(given)}.`);
    // The caller may go on with the list.
    this.given = [...given];
    this.assemble(
      this.given.flatMap((each, index): Placed[] => {
        const path = `/tools/${index}`;
        return isSource(each, path) ? [] : [{ tool: each, path, isForeign: false }];
      }),
    );
  }

  /** The tools as they are now. */
  async current(): Promise<Tools> {
    const found = this.given.map(async (each, index): Promise<Placed[]> => {
      const path = `/tools/${index}`;
      return isSource(each, path) ? listedBy(each, path) : [{ tool: each, path, isForeign: false }];
    });
    return this.assemble((await Promise.all(found)).flat());
  }

  /** Closes every source, also where one of them cannot be; then throws what that one threw. */
  async close(): Promise<void> {
    const sources = this.given.flatMap((each, index) => (isSource(each, `/tools/${index}`) ? [each] : []));
    const closing = sources.map(async (source) => source.close?.());
    await Promise.allSettled(closing);
    await Promise.all(closing);
  }

  private assemble(found: readonly Placed[]): Tools {
    const ofProviders = new Set(found.flatMap(({ tool }) => (isProviderTool(tool) ? [tool.name] : [])));
    const byName = new Map<string, ReadyTool>();
    const declarations: Tool[] = [];
    for (const { tool, path, isForeign } of found) {
      if (isProviderTool(tool)) {
        declarations.push(tool);
        continue;
      }
      const ready = this.ready(tool, path, isForeign);
      const { name } = ready.declaration;
      if (byName.has(name)) {
        throw invalid(path, `Two tools are called "${name}"; rename one, or give its MCP server a \`prefix\`.`);
      }
      byName.set(name, ready);
      if (!ofProviders.has(name)) declarations.push(ready.declaration);
    }
    return { declarations, byName };
  }

  private ready(tool: AgentTool, path: string, isForeign: boolean): ReadyTool {
    const known = this.read.get(tool);
    if (known !== undefined) return known;
    const ready = readTool(tool, path, isForeign);
    this.read.set(tool, ready);
    return ready;
  }
}

function invalid(path: string, message: string, cause?: unknown): AgentError {
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
    throw invalid(path, `The tools of "${source.name}" must be a list, found ${kindOf(listed)}.`);
  }
  return listed.map((tool: AgentTool, index): Placed => {
    if (!isObject(tool)) throw invalid(`${path}/${index}`, `A tool must be an object, found ${kindOf(tool)}.`);
    const step = typeof tool.name === "string" ? pointerStep(tool.name) : `/${index}`;
    return { tool, path: path + step, isForeign: true };
  });
}

function isProviderTool(given: AgentTool | ProviderTool): given is ProviderTool {
  return "type" in given && given.type === "provider";
}

function isSource(given: Given, path: string): given is ToolSource {
  if (!isObject(given)) throw invalid(path, `A tool must be an object, found ${kindOf(given)}.`);
  return "tools" in given && typeof given.tools === "function";
}

/** Throws for a tool that cannot be called, because its mistake would otherwise show in the middle of a run. */
function readTool(tool: AgentTool, path: string, isForeign: boolean): ReadyTool {
  const { name, description, format, strict, retry, timeoutMs } = tool;
  if (typeof name !== "string" || name === "") throw invalid(`${path}/name`, "A tool needs a name.");
  if (typeof tool.run !== "function") throw invalid(`${path}/run`, `The tool "${name}" has no function \`run\`.`);
  if (retry !== undefined && retry !== "safe" && retry !== "never") {
    throw invalid(`${path}/retry`, `\`retry\` of the tool "${name}" must be "safe" or "never".`);
  }
  if (timeoutMs !== undefined && !(typeof timeoutMs === "number" && timeoutMs > 0)) {
    throw invalid(`${path}/timeoutMs`, `\`timeoutMs\` of the tool "${name}" must be a number above 0.`);
  }
  const schema = schemaOf(tool, path, isForeign);
  const declaration: FunctionTool = { type: "function", name };
  if (description !== undefined) declaration.description = description;
  if (schema !== undefined && format !== "text") declaration.inputSchema = schema.json;
  if (strict !== undefined) declaration.strict = strict;
  if (format !== undefined) declaration.format = format;
  return { tool, declaration, check: schema === undefined ? kindCheck(format) : (input) => schema.check(input) };
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
    throw invalid(error.path === "" ? place : error.path, `The tool "${name}": ${error.message}`, error);
  }
}

/** Without a schema: any object, or any text. */
function kindCheck(format: AgentTool["format"]): (input: unknown) => Promise<Checked<unknown>> {
  const isRight = format === "text" ? (input: unknown) => typeof input === "string" : isObject;
  const wanted = format === "text" ? "a text" : "an object";
  return async (input) =>
    isRight(input)
      ? { ok: true, value: input }
      : { ok: false, issues: [{ path: "", message: `Expected ${wanted}, found ${kindOf(input)}.` }] };
}
