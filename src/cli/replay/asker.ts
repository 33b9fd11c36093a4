// Asks a model, by the rules of the configuration, or only says what it would be asked.
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

export interface Prepared {
  model: string;
  dialect: string;
  wire: unknown;
  losses: Loss[];
}

export interface Asker extends AsyncDisposable {
  /** `provider/model`. */
  readonly model: string;
  /** What the provider speaks; "canonical" where it is part of this program. */
  readonly dialect: string;
  prepare(request: ModelRequest): Prepared;
  /** The answer, or the error with which the provider refused. `force`: also where it would be asked another question. */
  ask(request: ModelRequest, force: boolean): Promise<{ answer?: Answer; error?: ProviderError }>;
}

export function askerOf(config: ServerConfig, asked: string, dialect: HttpDialect | undefined): Asker {
  const { defaultProvider, prices, models } = config;
  const options = {
    ...(defaultProvider !== undefined && { defaultProvider }),
    ...(prices !== undefined && { prices }),
  };
  const { adapters: links } = createClientContext({ ...options, providers: config.providers });
  const { targets, timeouts, retry } = sure(() => new ModelRouter({ models, ...options }, links).route(asked));
  const [model, ...fallbacks] = targets;
  const providers = dialect === undefined ? config.providers : speaking(config.providers, model, dialect);
  const session = sure(() => createClientContext({ ...options, providers }));
  const { adapter: link, model: own } = sure(() => resolveModel(session.adapters, options, model));
  return {
    model,
    dialect: link.kind === "local" ? "canonical" : link.config.dialect,
    prepare(request) {
      if (link.kind === "local") {
        const { request: wire, losses } = link.prepare(request, own);
        return { model, dialect: "canonical", wire: { ...wire, model: own }, losses };
      }
      const { request: http, dialect: spoken, losses } = sure(() => link.prepare(request, own, false, {}));
      return { model, dialect: spoken.id, wire: parseJson(http.body), losses };
    },
    async ask(request, force) {
      const how = { fallbacks, timeouts, retry, onBreaks: force ? "send" : "refuse" } as const;
      try {
        return { answer: await complete(session, { ...request, model }, how) };
      } catch (error) {
        if (error instanceof ClientError && error.error !== undefined) return { error: error.error };
        throw refused(error);
      }
    },
    [Symbol.asyncDispose]: () => session.close(),
  };
}

/** The provider that is asked, in another dialect than its own. */
function speaking(
  providers: ServerConfig["providers"],
  model: string,
  dialect: HttpDialect,
): Record<string, ProviderConfig> {
  const name = model.slice(0, model.indexOf("/"));
  const config = providers[name];
  if (config === undefined || "answer" in config) {
    throw new CliError("usage", `--dialect is for providers over HTTP; "${name}" is part of this program.`);
  }
  return { ...providers, [name]: { ...config, dialect } };
}

function sure<T>(make: () => T): T {
  try {
    return make();
  } catch (error) {
    throw refused(error);
  }
}

/** What the caller can mend is one sentence. */
function refused(error: unknown): unknown {
  if (error instanceof ClientError) {
    const isBreak = error.code === "untranslatable";
    const message = isBreak
      ? error.message.replace(/ Change it, or send.*$/s, " Use --force to ask all the same.")
      : error.message;
    return new CliError(isBreak ? "record" : "usage", message, { cause: error });
  }
  return error instanceof ServerError ? new CliError("usage", error.message, { cause: error }) : error;
}
