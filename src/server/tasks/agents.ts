// The agents that work on tasks: the configured model, instructions and MCP servers. The servers are connected to once,
// when they are first needed, and shared by all tasks.
import { type Agent, type AgentOptions, createAgent, type McpServer, mcpServer } from "../../agent/index.ts";
import { unlessAborted } from "../../agent/waiting.ts";
import { type Client, createClient } from "../../client/index.ts";
import type { Ledger } from "../../ledger/index.ts";
import { routerOf } from "../gateway/routing.ts";
import type { Services } from "../types.ts";

export interface AgentWishes extends Pick<AgentOptions, "append" | "approve" | "stopWhen"> {
  ledger: Ledger;
  model: string;
}

export class Agents {
  readonly #services: Services;
  #client: Client | undefined;
  #servers: Promise<McpServer[]> | undefined;

  constructor(services: Services) {
    this.#services = services;
  }

  /** Throws a "not-found" for a model that nobody has, and what an MCP server throws that cannot be reached. */
  async make({ ledger, model, append, approve, stopWhen }: AgentWishes, signal: AbortSignal): Promise<Agent> {
    const { instructions, maxSteps, toolTimeoutMs } = this.#services.config.tasks;
    const { targets, timeouts, retry } = routerOf(this.#services).route(model);
    const [first, ...fallbacks] = targets;
    const { log } = this.#services;
    // Others may wait for the same servers: only this one stops to.
    const sources = await unlessAborted(signal, () => this.#sources());
    if (sources === undefined) throw signal.reason;
    return createAgent({
      client: this.#clientOf(),
      model: first,
      ledger,
      tools: sources.value,
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

  /** With the server's own connections. */
  #clientOf(): Client {
    const { session } = this.#services;
    return (this.#client ??= createClient({ ...session.options, transport: session.transport() }));
  }

  #sources(): Promise<McpServer[]> {
    if (this.#servers !== undefined) return this.#servers;
    const connecting = this.#connect();
    this.#servers = connecting;
    // The next task tries again.
    connecting.catch(() => (this.#servers = undefined));
    return connecting;
  }

  async #connect(): Promise<McpServer[]> {
    const { config, log } = this.#services;
    const found = await Promise.allSettled(
      config.tasks.mcpServers.map((options) =>
        mcpServer({
          ...options,
          onProblem: ({ code, message }) => log.warn("mcp-server", { server: options.name, code, message }),
        }),
      ),
    );
    const servers = found.flatMap((each) => (each.status === "fulfilled" ? [each.value] : []));
    const failed = found.find((each) => each.status === "rejected");
    if (failed === undefined) return servers;
    await closeAll(servers);
    throw failed.reason;
  }

  /** Closes the MCP servers. One that does not answer is not waited for. */
  async close(): Promise<void> {
    const closing = this.#servers?.then(closeAll).catch(() => undefined);
    const over = new AbortController();
    const { effects } = this.#services.session;
    await Promise.race([closing, effects.sleep(CLOSE_MS, over.signal).catch(() => undefined)]);
    over.abort();
  }
}

/** The longest that the end of the server waits for them. */
const CLOSE_MS = 2000;

async function closeAll(servers: readonly McpServer[]): Promise<void> {
  await Promise.allSettled(servers.map((server) => server.close()));
}
