// Implements an MCP server as a tool source: converts its tools to agent tools and sends their calls to the server.
import type { StandardSchemaV1 } from "@standard-schema/spec";
import { listExactNumbers } from "../../model/index.ts";
import { isObject } from "../../model/value-kind.ts";
import { AgentError } from "../errors.ts";
import { toolOutput } from "../tools/tool.ts";
import type { AgentTool, ToolContext, ToolOutput } from "../types.ts";
import { unlessAborted } from "../concurrency.ts";
import type { McpConnection } from "./connection.ts";
import {
  mcpError,
  isProtocolViolation,
  hasConnectionBroken,
  isSessionLost,
  isSilenceTimeout,
  wasNotExecuted,
  describeMcpError,
  readServerError,
} from "./classify-errors.ts";
import { ReconnectingConnection } from "./reconnecting-connection.ts";
import { checkOptions, readTimeouts, withSafeListeners } from "./check-options.ts";
import { decodeResult } from "./decode-result.ts";
import { type ListedTool, listTools, resolveRetry } from "./list-tools.ts";
import type { McpServer, McpServerOptions } from "./types.ts";

/**
 * Connects to an MCP server and lists its tools. Close the server, or the agent that uses it, after use.
 *
 * @example
 * ```ts
 * import { createAgent, mcpServer } from "koine/agent";
 * import { createClient, demo } from "koine/client";
 *
 * const notes = await mcpServer({
 *   name: "notes",
 *   prefix: "notes_",
 *   command: process.execPath,
 *   args: ["examples/mcp-agent/notes-server.ts"],
 * });
 * console.log((await notes.tools()).map(({ name }) => name)); // ["notes_add","notes_list","notes_crash"]
 * const client = createClient({ providers: { demo: demo() } });
 * const agent = createAgent({ client, model: "demo/koine", tools: [notes] });
 * for await (const event of agent.run('call notes_add {"text":"Water the olive tree."}')) {
 *   if (event.type === "tool-end") console.log(event.result.output); // That is note 1.
 * }
 * await agent.close(); // also closes the MCP server
 * await client.close();
 * ```
 */
export async function mcpServer(options: McpServerOptions, now: () => number = monotonic): Promise<McpServer> {
  checkOptions(options);
  const source = new McpToolSource(withSafeListeners(options), now);
  try {
    await source.tools();
  } catch (error) {
    await source.close();
    throw error;
  }
  return source;
}

const monotonic = (): number => performance.now();

/** A schema that accepts any object; the server checks the arguments by its own schema. */
const ANY_OBJECT: StandardSchemaV1<Record<string, unknown>> = {
  "~standard": {
    version: 1,
    vendor: "koine",
    validate: (value) => (isObject(value) ? { value } : { issues: [{ message: "The arguments must be an object." }] }),
  },
};

class McpToolSource implements McpServer {
  readonly name: string;
  instructions: string | undefined;
  readonly #options: McpServerOptions;
  readonly #connections: ReconnectingConnection;
  /** The last known tools; undefined until they are listed. `#listedBy` is the connection that listed them. */
  #lastTools: readonly AgentTool[] | undefined;
  #listedBy: McpConnection | undefined;
  #listing: Promise<void> | undefined;
  #isClosed = false;

  constructor(options: McpServerOptions, now: () => number) {
    this.name = options.name;
    this.#options = options;
    this.#connections = new ReconnectingConnection(options, {
      now,
      onToolsChanged: () => (this.#listedBy = undefined),
      onProblem: (problem) => options.onProblem?.(problem),
    });
  }

  /**
   * Returns the tools of the server. If the server is unavailable, returns the last known tools, so that the agent can
   * continue.
   */
  async tools(): Promise<readonly AgentTool[]> {
    try {
      const connection = await this.#connections.connect();
      if (this.#listing !== undefined) await this.#listing;
      else if (this.#listedBy !== connection) await (this.#listing = this.#list(connection));
    } catch (error) {
      if (this.#lastTools === undefined || this.#isClosed) throw error;
      this.#options.onProblem?.(mcpError(this.#options, `could not list its tools: ${describeMcpError(error)}`, error));
    }
    return this.#lastTools ?? [];
  }

  close(): Promise<void> {
    this.#isClosed = true;
    return this.#connections.close();
  }
  [Symbol.asyncDispose](): Promise<void> {
    return this.close();
  }

  async #list(connection: McpConnection): Promise<void> {
    // `#listedBy` is set before the request. If the tools change during the listing, `onToolsChanged` resets it, and
    // the next call of `tools` lists them again.
    this.#listedBy = connection;
    try {
      const { tools, unusable } = await listTools(connection, this.#options);
      this.#lastTools = tools.map((tool) => this.#agentTool(tool));
      this.instructions = connection.instructions;
      for (const why of unusable)
        this.#options.onProblem?.(mcpError(this.#options, `has a tool that cannot be used. ${why}`));
    } catch (error) {
      this.#listedBy = undefined;
      if (isSessionLost(error)) this.#connections.drop(connection);
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
      retry: resolveRetry(tool, this.#options),
      timeoutMs: timeouts?.callMs,
      run: async (input, context) => toolOutput(await this.#call(tool.name, input, context)),
    };
  }

  /**
   * Returns a connection. The program's output is removed from errors, because it is meant for `onProblem` and not for
   * the model.
   */
  async #connect(): Promise<McpConnection> {
    try {
      return await this.#connections.connect();
    } catch (error) {
      if (!(error instanceof AgentError)) throw error;
      this.#options.onProblem?.(error);
      const [line = ""] = error.message.split("\n", 1);
      throw new AgentError(error.code, line, { path: error.path, cause: error });
    }
  }

  async #call(name: string, input: unknown, context: ToolContext): Promise<ToolOutput> {
    const [inexact] = listExactNumbers(input);
    // The SDK would round the number, which could then be the id of another record (B23).
    if (inexact !== undefined) {
      const output = `The number ${inexact.text} at ${inexact.path} has more digits than can be sent; the tool was not run.`;
      return { isError: true, output };
    }
    for (let isFirst = true; ; isFirst = false) {
      const connected = await unlessAborted(context.signal, () => this.#connect());
      if (connected === undefined) throw context.signal.reason;
      const connection = connected.value;
      try {
        const result = await connection.request("tools/call", { name, arguments: input }, this.#limits(context));
        this.#connections.markAnswered();
        return decodeResult(result);
      } catch (error) {
        context.signal.throwIfAborted();
        if (isSessionLost(error)) this.#connections.drop(connection);
        // A server that has lost the session did not execute the call, so the call is repeated once.
        if (isSessionLost(error) && isFirst) continue;
        return this.#toOutput(error, connection);
      }
    }
  }

  #limits({ signal, toolCallId, toolName }: ToolContext): Parameters<McpConnection["request"]>[2] {
    const { onProgress } = this.#options;
    const silenceMs = readTimeouts(this.#options).gapMs;
    // Servers report progress only if `onProgress` is set. It is needed for the caller's listener, and for a finite
    // time limit, because each report restarts that limit.
    if (onProgress === undefined && silenceMs === Infinity) return { signal, silenceMs };
    return { signal, silenceMs, onProgress: (report) => onProgress?.({ toolCallId, toolName, ...report }) };
  }

  /**
   * Converts an error reply of the server to an error output. Throws for every other failure; the message states
   * whether the call may have been executed.
   */
  #toOutput(error: unknown, connection: McpConnection): ToolOutput {
    const serverError = connection.isOpen ? readServerError(error) : undefined;
    if (serverError !== undefined) {
      this.#connections.markAnswered();
      return { isError: true, output: serverError };
    }
    if (wasNotExecuted(error)) throw mcpError(this.#options, `could not be called: ${describeMcpError(error)}`, error);
    if (isSilenceTimeout(error)) throw mcpError(this.#options, `was silent for too long; ${EFFECT_UNKNOWN}.`, error);
    if (!connection.isOpen || hasConnectionBroken(error))
      throw mcpError(this.#options, `ended before it answered; ${EFFECT_UNKNOWN}.`, error);
    if (isProtocolViolation(error))
      throw mcpError(this.#options, `sent an answer that violates the protocol; ${EFFECT_UNKNOWN}.`, error);
    throw mcpError(this.#options, `could not be called: ${describeMcpError(error)} (${EFFECT_UNKNOWN})`, error);
  }
}

const EFFECT_UNKNOWN = "whether the tool took effect is unknown";
