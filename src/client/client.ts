// The client: providers by name, and one way to ask them all.
import { defaultTransport } from "#transport";
import { checkClientOptions, readCall } from "./calls/check-options.ts";
import { complete } from "./calls/complete.ts";
import type { ClientContext } from "./calls/call.ts";
import { streamOf, wrap } from "./calls/onion.ts";
import { stream } from "./calls/stream.ts";
import { resolveEffects } from "./effects.ts";
import { ClientError } from "./errors.ts";
import { generateObject } from "./generate-object.ts";
import { linkOf } from "./providers/link.ts";
import { KEY_VARIABLES, providersFromEnv } from "./providers/from-env.ts";
import { resolveModel } from "./providers/resolve.ts";
import type { Client as ClientFace, ClientOptions, ProviderConfig, Transport } from "./types.ts";

/**
 * What calls are made with, for those who make them piece by piece. Throws a `ClientError` "configuration" for a setting
 * that is not what it must be. Middleware is the client's own: a session does not know it.
 */
export function createSession(options: ClientOptions): ClientContext {
  checkClientOptions(options);
  const links = new Map(Object.entries(options.providers).map(([name, config]) => [name, linkOf(name, config)]));
  checkNames(links, options);
  let own: Transport | undefined;
  return {
    options,
    links,
    effects: resolveEffects(options.effects),
    transport: () => options.transport ?? (own ??= defaultTransport()),
    // A transport that was given belongs to whoever gave it.
    close: async () => own?.close(),
  };
}

/** Makes a client. Throws a `ClientError` "configuration" for a setting that is not what it must be. */
export function createClient(options: ClientOptions): ClientFace {
  const session = createSession(options);
  const asking = wrap(
    {
      complete: ({ request, options: call }) => complete(session, request, call),
      stream: ({ request, options: call }) => stream(session, request, call),
    },
    options.middleware ?? [],
  );
  const client: ClientFace = {
    providers: [...session.links.keys()],
    // Checked before middleware looks at it.
    complete: async (request, call = {}) => asking.complete(readCall(request, call)),
    stream: (request, call = {}) => streamOf(() => asking.stream(readCall(request, call))),
    generateObject: (request, call = {}) => generateObject((each, how) => client.complete(each, how), request, call),
    close: () => session.close(),
    [Symbol.asyncDispose]: () => client.close(),
  };
  return client;
}

/** Names that nobody has are told now rather than when they are first needed. */
function checkNames(links: ClientContext["links"], options: ClientOptions): void {
  // Any name will do: a model without a provider is the default provider's.
  if (options.defaultProvider !== undefined) resolveModel(links, options, "any");
  options.fallbacks?.forEach((model, index) => resolveModel(links, options, model, {}, `/fallbacks/${index}`));
}

/** Options beside the providers, which come from the environment; those given here are added, and win. */
export type FromEnvOptions = Omit<ClientOptions, "providers"> & {
  providers?: Readonly<Record<string, ProviderConfig>> | undefined;
  /** Default: `process.env`. */
  env?: Readonly<Record<string, string | undefined>> | undefined;
};

/** `Client.fromEnv()`: every provider whose key is in the environment. Throws where there is none. */
export const Client = {
  fromEnv({ env = processEnv(), providers = {}, ...options }: FromEnvOptions = {}): ClientFace {
    const found = { ...providersFromEnv(env, Object.keys(providers)), ...providers };
    if (Object.keys(found).length === 0) {
      const message = `No provider has its key in the environment. Set one of ${KEY_VARIABLES.join(", ")}`;
      const advice = "or pass providers, such as { demo: demo() }, which needs no key.";
      throw new ClientError("configuration", `${message}, ${advice}`, { path: "/providers" });
    }
    return createClient({ ...options, providers: found });
  },
} as const;
/** The methods of a client. */
export type Client = ClientFace;

/** Where there is no process, there is no environment. */
function processEnv(): Readonly<Record<string, string | undefined>> {
  return typeof process === "undefined" ? {} : process.env;
}
