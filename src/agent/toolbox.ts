// The tools of an agent: checked when they are given, asked for anew before each step where they come from a source, and
// read once each.
import { ClientError, readSchema } from "../client/index.ts";
import type { Checked, ReadSchema } from "../client/index.ts";
import type { FunctionTool, ProviderTool, Tool } from "../model/index.ts";
import { isObject, kindOf } from "../model/kind.ts";
import { AgentError } from "./errors.ts";
import type { AgentTool, ToolSource } from "./types.ts";

type Given = AgentTool | ToolSource | ProviderTool;
/** A tool, and where it was given, for errors. */
type Placed = readonly [tool: AgentTool | ProviderTool, path: string];

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
    this.given = given;
    this.assemble(
      given.flatMap((each: Given, index): Placed[] => {
        const path = `/tools/${index}`;
        return isSource(each, path) ? [] : [[each, path]];
      }),
    );
  }

  /** The tools as they are now. */
  async current(): Promise<Tools> {
    const found = this.given.map(async (each, index): Promise<Placed[]> => {
      const path = `/tools/${index}`;
      if (!isSource(each, path)) return [[each, path]];
      const listed = await each.tools();
      return listed.map((one): Placed => [one, `${path}/${each.name}/${one.name}`]);
    });
    return this.assemble((await Promise.all(found)).flat());
  }

  async close(): Promise<void> {
    const sources = this.given.flatMap((each, index) => (isSource(each, `/tools/${index}`) ? [each] : []));
    await Promise.all(sources.map(async (source) => source.close?.()));
  }

  private assemble(found: readonly Placed[]): Tools {
    const ofProviders = new Set(found.flatMap(([each]) => (isProviderTool(each) ? [each.name] : [])));
    const byName = new Map<string, ReadyTool>();
    const declarations: Tool[] = [];
    for (const [each, path] of found) {
      if (isProviderTool(each)) {
        declarations.push(each);
        continue;
      }
      const ready = this.ready(each, path);
      if (byName.has(each.name)) {
        throw invalid(path, `Two tools are called "${each.name}"; rename one, or give its MCP server a \`prefix\`.`);
      }
      byName.set(each.name, ready);
      if (!ofProviders.has(each.name)) declarations.push(ready.declaration);
    }
    return { declarations, byName };
  }

  private ready(tool: AgentTool, path: string): ReadyTool {
    const known = this.read.get(tool);
    if (known !== undefined) return known;
    const ready = readTool(tool, path);
    this.read.set(tool, ready);
    return ready;
  }
}

function invalid(path: string, message: string, cause?: unknown): AgentError {
  return new AgentError("invalid-tool", message, cause === undefined ? { path } : { path, cause });
}

function isProviderTool(given: AgentTool | ProviderTool): given is ProviderTool {
  return "type" in given && given.type === "provider";
}

function isSource(given: Given, path: string): given is ToolSource {
  if (!isObject(given)) throw invalid(path, `A tool must be an object, found ${kindOf(given)}.`);
  return "tools" in given && typeof given.tools === "function";
}

/** Throws for a tool that cannot be called, because its mistake would otherwise show in the middle of a run. */
function readTool(tool: AgentTool, path: string): ReadyTool {
  const { name, description, format, strict, retry, timeoutMs } = tool;
  if (typeof name !== "string" || name === "") throw invalid(`${path}/name`, "A tool needs a name.");
  if (typeof tool.run !== "function") throw invalid(`${path}/run`, `The tool "${name}" has no function \`run\`.`);
  if (retry !== undefined && retry !== "safe" && retry !== "never") {
    throw invalid(`${path}/retry`, `\`retry\` of the tool "${name}" must be "safe" or "never".`);
  }
  if (timeoutMs !== undefined && !(typeof timeoutMs === "number" && timeoutMs > 0)) {
    throw invalid(`${path}/timeoutMs`, `\`timeoutMs\` of the tool "${name}" must be a number above 0.`);
  }
  const schema = schemaOf(tool, path);
  const declaration: FunctionTool = { type: "function", name };
  if (description !== undefined) declaration.description = description;
  if (schema !== undefined && format !== "text") declaration.inputSchema = schema.json;
  if (strict !== undefined) declaration.strict = strict;
  if (format !== undefined) declaration.format = format;
  return { tool, declaration, check: schema === undefined ? kindCheck(format) : (input) => schema.check(input) };
}

function schemaOf({ name, input, inputSchema }: AgentTool, path: string): ReadSchema | undefined {
  const schema = input ?? inputSchema;
  if (schema === undefined) return undefined;
  const place = `${path}/${input === undefined ? "inputSchema" : "input"}`;
  try {
    return readSchema(schema, { inputSchema, path: place });
  } catch (error) {
    if (!(error instanceof ClientError)) throw error;
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
