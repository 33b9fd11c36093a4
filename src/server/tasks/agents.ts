// Creates the agents of tasks with the configured model, instructions and MCP servers. All tasks share the MCP servers,
// which are connected when the first agent is created.
import { type Agent, type AgentOptions, createAgent, type McpServer, mcpServer } from "../../agent/index.ts";
import { unlessAborted } from "../../agent/concurrency.ts";
import { type Client, createClient, type Middleware } from "../../client/index.ts";
import type { Ledger } from "../../ledger/index.ts";
import { getModelRouter } from "../gateway/model-router.ts";
import { observeAgentCalls } from "../operations/observe-agent-calls.ts";
import type { Services } from "../types.ts";

export interface TaskAgentOptions extends Pick<AgentOptions, "append" | "approve" | "stopWhen"> {
  ledger: Ledger;
  model: string;
}

export class TaskAgents {
  readonly #services: Services;
  /** The middleware that counts and traces the model calls of agents. */
  readonly #observer: Middleware;
  #client: Client | undefined;
  #servers: Promise<McpServer[]> | undefined;

  constructor(services: Services) {
    this.#services = services;
    this.#observer = observeAgentCalls(services.metrics, services.tracer);
  }

  /**
   * Creates an agent. Throws "not-found" for an unknown model, or the error of an MCP server that cannot be reached.
   */
  async create({ ledger, model, append, approve, stopWhen }: TaskAgentOptions, signal: AbortSignal): Promise<Agent> {
    const { instructions, maxSteps, toolTimeoutMs } = this.#services.config.tasks;
    const { targets, timeouts, retry } = getModelRouter(this.#services).route(model);
    const [first, ...fallbacks] = targets;
    const { log } = this.#services;
    // An aborted `signal` ends only the wait of this task, not the connecting, because other tasks may wait for the
    // same MCP servers.
    const connected = await unlessAborted(signal, () => this.#connectOnce());
    if (connected === undefined) throw signal.reason;
    return createAgent({
      client: this.#getClient(),
      model: first,
      ledger,
      tools: connected.value,
      call: { fallbacks, ...(timeouts !== undefined && { timeouts }), ...(retry !== undefined && { retry }) },
      instructions,
      maxSteps,
      toolTimeoutMs,
      append,
      approve,
      stopWhen,
      onProblem: ({ code, message }) => log.warn("task-tools", { code, message }),
    });
  }

  /** Returns the client of all agents, which shares the server's transport. */
  #getClient(): Client {
    const { clientContext } = this.#services;
    return (this.#client ??= createClient({
      ...clientContext.options,
      middleware: [this.#observer],
      transport: clientContext.transport(),
    }));
  }

  #connectOnce(): Promise<McpServer[]> {
    if (this.#servers !== undefined) return this.#servers;
    const connecting = this.#connect();
    this.#servers = connecting;
    // After a failure, the promise is discarded, so that the next task connects again.
    connecting.catch(() => (this.#servers = undefined));
    return connecting;
  }

  async #connect(): Promise<McpServer[]> {
    const { config, log } = this.#services;
    const results = await Promise.allSettled(
      config.tasks.mcpServers.map((options) =>
        mcpServer({
          ...options,
          onProblem: ({ code, message }) => log.warn("mcp-server", { server: options.name, code, message }),
        }),
      ),
    );
    const servers = results.flatMap((each) => (each.status === "fulfilled" ? [each.value] : []));
    const failed = results.find((each) => each.status === "rejected");
    if (failed === undefined) return servers;
    await closeAll(servers);
    throw failed.reason;
  }

  /** Closes the MCP servers, and waits at most `MAX_CLOSE_MS` for them. */
  async close(): Promise<void> {
    const closing = this.#servers?.then(closeAll).catch(() => undefined);
    const over = new AbortController();
    const { effects } = this.#services.clientContext;
    await Promise.race([closing, effects.sleep(MAX_CLOSE_MS, over.signal).catch(() => undefined)]);
    over.abort();
  }
}

/** The maximum time to wait for MCP servers at shutdown, in milliseconds. */
const MAX_CLOSE_MS = 2000;

async function closeAll(servers: readonly McpServer[]): Promise<void> {
  await Promise.allSettled(servers.map((server) => server.close()));
}
