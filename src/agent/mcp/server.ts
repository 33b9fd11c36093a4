// An MCP server as a source of tools: what it lists, as tools of an agent, and how their calls travel.
import type { StandardSchemaV1 } from "@standard-schema/spec";
import { exactNumbers } from "../../model/index.ts";
import { isObject } from "../../model/kind.ts";
import { AgentError } from "../errors.ts";
import { toolOutput } from "../tool.ts";
import type { AgentTool, ToolContext, ToolOutput } from "../types.ts";
import { unlessAborted } from "../waiting.ts";
import type { Connection } from "./connection.ts";
import { failed, isBreach, isBroken, isForgotten, isSilence, isUndone, reasonOf, refusalOf } from "./failures.ts";
import { ReconnectingConnection } from "./keeper.ts";
import { checkOptions, timeoutsOf, withSafeListeners } from "./options.ts";
import { decodeResult } from "./result.ts";
import { type ListedTool, listTools, retryOf } from "./tools.ts";
import type { McpServer, McpServerOptions } from "./types.ts";

/** Connects to an MCP server and lists its tools. Close it, or the agent that it was given to, when it is no longer needed. */
export async function mcpServer(options: McpServerOptions, now: () => number = monotonic): Promise<McpServer> {
  checkOptions(options);
  const source = new McpSource(withSafeListeners(options), now);
  try {
    await source.tools();
  } catch (error) {
    await source.close();
    throw error;
  }
  return source;
}

const monotonic = (): number => performance.now();

/** Arguments are judged by the server, which wrote the schema; the protocol itself asks for an object. */
const ANY_OBJECT: StandardSchemaV1<Record<string, unknown>> = {
  "~standard": {
    version: 1,
    vendor: "koine",
    validate: (value) => (isObject(value) ? { value } : { issues: [{ message: "The arguments must be an object." }] }),
  },
};

class McpSource implements McpServer {
  readonly name: string;
  instructions: string | undefined;
  readonly #options: McpServerOptions;
  readonly #keeper: ReconnectingConnection;
  /** The tools known last, and the connection that they were asked of. */
  #known: readonly AgentTool[] | undefined;
  #listedBy: Connection | undefined;
  #listing: Promise<void> | undefined;
  #isClosed = false;

  constructor(options: McpServerOptions, now: () => number) {
    this.name = options.name;
    this.#options = options;
    this.#keeper = new ReconnectingConnection(options, {
      now,
      onToolsChanged: () => (this.#listedBy = undefined),
      onProblem: (problem) => options.onProblem?.(problem),
    });
  }

  /** A server that is not there leaves the tools known last: an agent can do without it for a while. */
  async tools(): Promise<readonly AgentTool[]> {
    try {
      const connection = await this.#keeper.connect();
      if (this.#listing !== undefined) await this.#listing;
      else if (this.#listedBy !== connection) await (this.#listing = this.#list(connection));
    } catch (error) {
      if (this.#known === undefined || this.#isClosed) throw error;
      this.#options.onProblem?.(failed(this.#options, `could not list its tools: ${reasonOf(error)}`, error));
    }
    return this.#known ?? [];
  }

  close(): Promise<void> {
    this.#isClosed = true;
    return this.#keeper.close();
  }
  [Symbol.asyncDispose](): Promise<void> {
    return this.close();
  }

  async #list(connection: Connection): Promise<void> {
    // Before it is asked: a change while it lists makes it list again.
    this.#listedBy = connection;
    try {
      const { tools, unusable } = await listTools(connection, this.#options);
      this.#known = tools.map((tool) => this.#agentTool(tool));
      this.instructions = connection.instructions;
      for (const why of unusable)
        this.#options.onProblem?.(failed(this.#options, `has a tool that cannot be used. ${why}`));
    } catch (error) {
      this.#listedBy = undefined;
      if (isForgotten(error)) this.#keeper.drop(connection);
      throw error;
    } finally {
      this.#listing = undefined;
    }
  }

  #agentTool(tool: ListedTool): AgentTool {
    const { prefix = "", timeouts } = this.#options;
    return {
      name: prefix + tool.name,
      description: tool.description,
      input: ANY_OBJECT,
      inputSchema: tool.inputSchema,
      retry: retryOf(tool, this.#options),
      timeoutMs: timeouts?.callMs,
      run: async (input, context) => toolOutput(await this.#call(tool.name, input, context)),
    };
  }

  /** What a program wrote before it ended is for whoever runs the agent, and not for the model. */
  async #connect(): Promise<Connection> {
    try {
      return await this.#keeper.connect();
    } catch (error) {
      if (!(error instanceof AgentError)) throw error;
      this.#options.onProblem?.(error);
      const [line = ""] = error.message.split("\n", 1);
      throw new AgentError(error.code, line, { path: error.path, cause: error });
    }
  }

  async #call(name: string, input: unknown, context: ToolContext): Promise<ToolOutput> {
    const [lost] = exactNumbers(input);
    // The SDK would round it: another record may be meant then (B23).
    if (lost !== undefined) {
      const output = `The number ${lost.text} at ${lost.path} has more digits than can be sent; the tool was not run.`;
      return { isError: true, output };
    }
    for (let isFirst = true; ; isFirst = false) {
      const connected = await unlessAborted(context.signal, () => this.#connect());
      if (connected === undefined) throw context.signal.reason;
      const connection = connected.value;
      try {
        const result = await connection.request("tools/call", { name, arguments: input }, this.#limits(context));
        this.#keeper.answered();
        return decodeResult(result);
      } catch (error) {
        context.signal.throwIfAborted();
        if (isForgotten(error)) this.#keeper.drop(connection);
        // It was not done, so that it can be asked again.
        if (isForgotten(error) && isFirst) continue;
        return this.#answerTo(error, connection);
      }
    }
  }

  #limits({ signal, toolCallId, toolName }: ToolContext): Parameters<Connection["request"]>[2] {
    const { onProgress } = this.#options;
    const silenceMs = timeoutsOf(this.#options).gapMs;
    // Servers report progress only where somebody asks for it.
    if (onProgress === undefined && silenceMs === Infinity) return { signal, silenceMs };
    return { signal, silenceMs, onProgress: (said) => onProgress?.({ toolCallId, toolName, ...said }) };
  }

  /** An error of the server is its answer; else nobody knows how far it came, and the model must not take it for undone. */
  #answerTo(error: unknown, connection: Connection): ToolOutput {
    const refusal = connection.isOpen ? refusalOf(error) : undefined;
    if (refusal !== undefined) {
      this.#keeper.answered();
      return { isError: true, output: refusal };
    }
    if (isUndone(error)) throw failed(this.#options, `could not be asked: ${reasonOf(error)}`, error);
    if (isSilence(error)) throw failed(this.#options, `was silent for too long; ${UNKNOWN}.`, error);
    if (!connection.isOpen || isBroken(error))
      throw failed(this.#options, `ended before it answered; ${UNKNOWN}.`, error);
    if (isBreach(error)) throw failed(this.#options, `sent an answer that breaks the protocol; ${UNKNOWN}.`, error);
    throw failed(this.#options, `could not be asked: ${reasonOf(error)} (${UNKNOWN})`, error);
  }
}

const UNKNOWN = "whether the tool did its work is not known";
