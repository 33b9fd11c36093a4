// Creates the client, which has providers by name and methods that call their models through middleware.
import { ClientError, complete, createClientContext, KEY_VARIABLES, providersFromEnv, stream } from "../calls/index.ts";
import type { ProviderConfig } from "../calls/index.ts";
import { checkClientOptions, toCall } from "./check-options.ts";
import { generateObject } from "./generate-object.ts";
import { applyMiddleware, streamOrError } from "./middleware/apply-middleware.ts";
import type { ClientMethods, ClientOptions } from "./types.ts";

/**
 * Creates a client. Throws a `ClientError` "configuration" for an invalid setting.
 *
 * @example
 * ```ts
 * import { getText, user } from "koine";
 * import { createClient, demo, presets } from "koine/client";
 *
 * const client = createClient({
 *   providers: {
 *     anthropic: { ...presets.anthropic, apiKey: "sk-ant-example" },
 *     demo: demo(), // answers without a key
 *   },
 * });
 * const answer = await client.complete({ model: "demo/koine", messages: [user("say Hello.")] });
 * console.log(getText(answer.message)); // Hello.
 * await client.close();
 * ```
 */
export function createClient(options: ClientOptions): ClientMethods {
  checkClientOptions(options);
  const { middleware = [], ...defaults } = options;
  const context = createClientContext(defaults);
  const handlers = applyMiddleware(
    {
      complete: (call) => complete(context, call.request, call.options),
      stream: (call) => stream(context, call.request, call.options),
    },
    middleware,
  );
  const client: ClientMethods = {
    providers: [...context.adapters.keys()],
    // `toCall` checks the call before middleware receives it.
    complete: async (request, callOptions = {}) => handlers.complete(toCall(request, callOptions)),
    stream: (request, callOptions = {}) => streamOrError(() => handlers.stream(toCall(request, callOptions))),
    generateObject: (request, callOptions = {}) =>
      generateObject((...args) => client.complete(...args), request, callOptions),
    close: () => context.close(),
    [Symbol.asyncDispose]: () => client.close(),
  };
  return client;
}

/** Options of `Client.fromEnv`. `providers` is added to the providers of the environment and overrides them. */
export type FromEnvOptions = Omit<ClientOptions, "providers"> & {
  providers?: Readonly<Record<string, ProviderConfig>> | undefined;
  /** The environment variables. Default: `process.env`. */
  env?: Readonly<Record<string, string | undefined>> | undefined;
};

/**
 * The namespace of `Client.fromEnv()`, which creates a client with every provider whose key is in the environment. It
 * throws if there is no provider.
 */
export const Client = {
  fromEnv({ env = processEnv(), providers = {}, ...options }: FromEnvOptions = {}): ClientMethods {
    const allProviders = { ...providersFromEnv(env, Object.keys(providers)), ...providers };
    if (Object.keys(allProviders).length === 0) {
      const message = `The environment has no key of a provider. Set one of ${KEY_VARIABLES.join(", ")}`;
      const advice = "or pass providers, such as { demo: demo() }, which needs no key.";
      throw new ClientError("configuration", `${message}, ${advice}`, { path: "/providers" });
    }
    return createClient({ ...options, providers: allProviders });
  },
} as const;
/** Calls the models of several providers with one request type. */
export type Client = ClientMethods;

/** Returns the environment variables; an empty object in a browser, which has no `process`. */
function processEnv(): Readonly<Record<string, string | undefined>> {
  return typeof process === "undefined" ? {} : process.env;
}
