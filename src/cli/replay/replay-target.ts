// Resolves the model that `koine replay` calls with the server configuration, and calls the model. For `--dry-run`,
// prepares a request without sending it.
import { complete, resolveModel } from "../../calls/index.ts";
import { createClientContext } from "../../calls/index.ts";
import type { Answer, HttpDialect, ProviderConfig } from "../../client/index.ts";
import { ClientError } from "../../client/index.ts";
import type { Loss, ProviderError, ModelRequest } from "../../model/index.ts";
import { parseJson } from "../../model/index.ts";
import type { ServerConfig } from "../../server/config/index.ts";
import { ServerError } from "../../server/errors.ts";
import { ModelRouter } from "../../server/gateway/model-router.ts";
import { CliError } from "../exit.ts";

export interface PreparedReplay {
  model: string;
  dialect: string;
  wire: unknown;
  losses: Loss[];
}

export interface ReplayTarget extends AsyncDisposable {
  /** The name of the model, as `provider/model`. */
  readonly model: string;
  /** The dialect of the provider; "canonical" for a provider that runs inside Koine. */
  readonly dialect: string;
  prepare(request: ModelRequest): PreparedReplay;
  /**
   * Returns the answer or the provider's error. With `force`, the request is sent even if losses of the level `breaks`
   * change its meaning.
   */
  callModel(request: ModelRequest, force: boolean): Promise<{ answer?: Answer; error?: ProviderError }>;
}

export function createReplayTarget(
  config: ServerConfig,
  requestedModel: string,
  dialect: HttpDialect | undefined,
): ReplayTarget {
  const { defaultProvider, prices, models } = config;
  const options = {
    ...(defaultProvider !== undefined && { defaultProvider }),
    ...(prices !== undefined && { prices }),
  };
  const { adapters } = createClientContext({ ...options, providers: config.providers });
  const { targets, timeouts, retry } = withCliErrors(() =>
    new ModelRouter({ models, ...options }, adapters).route(requestedModel),
  );
  const [model, ...fallbacks] = targets;
  const providers = dialect === undefined ? config.providers : withDialect(config.providers, model, dialect);
  const client = withCliErrors(() => createClientContext({ ...options, providers }));
  const { adapter, model: modelName } = withCliErrors(() => resolveModel(client.adapters, options, model));
  return {
    model,
    dialect: adapter.kind === "local" ? "canonical" : adapter.config.dialect,
    prepare(request) {
      if (adapter.kind === "local") {
        const { request: wire, losses } = adapter.prepare(request, modelName);
        return { model, dialect: "canonical", wire: { ...wire, model: modelName }, losses };
      }
      const prepared = withCliErrors(() => adapter.prepare(request, modelName, false, {}));
      return { model, dialect: prepared.dialect.id, wire: parseJson(prepared.request.body), losses: prepared.losses };
    },
    async callModel(request, force) {
      const callOptions = { fallbacks, timeouts, retry, onBreaks: force ? "send" : "refuse" } as const;
      try {
        return { answer: await complete(client, { ...request, model }, callOptions) };
      } catch (error) {
        if (error instanceof ClientError && error.error !== undefined) return { error: error.error };
        throw toReplayError(error);
      }
    },
    [Symbol.asyncDispose]: () => client.close(),
  };
}

/** Returns a copy of the providers in which the provider of `model` has the given dialect. */
function withDialect(
  providers: ServerConfig["providers"],
  model: string,
  dialect: HttpDialect,
): Record<string, ProviderConfig> {
  const name = model.slice(0, model.indexOf("/"));
  const config = providers[name];
  if (config === undefined || "answer" in config) {
    throw new CliError("usage", `--dialect works only for HTTP providers; "${name}" runs inside Koine.`);
  }
  return { ...providers, [name]: { ...config, dialect } };
}

function withCliErrors<T>(make: () => T): T {
  try {
    return make();
  } catch (error) {
    throw toReplayError(error);
  }
}

/** Converts an error that the user can fix to a CliError; other errors are returned unchanged. */
function toReplayError(error: unknown): unknown {
  if (error instanceof ClientError) {
    const isBreak = error.code === "untranslatable";
    const message = isBreak
      ? error.message.replace(/ Change it, or send.*$/s, " Use --force to send it anyway.")
      : error.message;
    return new CliError(isBreak ? "record" : "usage", message, { cause: error });
  }
  return error instanceof ServerError ? new CliError("usage", error.message, { cause: error }) : error;
}
