// Creates the context that all calls of a client share: provider adapters, effects, transport and defaults.
import { defaultTransport as createPlatformTransport } from "#transport";
import { checkCallDefaults } from "./check-options.ts";
import { resolveEffects } from "./effects.ts";
import { createProviderAdapter } from "./providers/provider-adapter.ts";
import { resolveModel } from "./providers/resolve-model.ts";
import type { CallDefaults, Effects, ProviderAdapter, Transport } from "./types.ts";

export interface ClientContext {
  readonly options: CallDefaults;
  readonly adapters: ReadonlyMap<string, ProviderAdapter>;
  readonly effects: Effects;
  transport(): Transport;
  /** Closes the idle connections of the default transport; running calls continue. */
  close(): Promise<void>;
}

/** Creates the transport of this platform: undici pools on Node, `fetch` elsewhere. */
export function defaultTransport(): Transport {
  return createPlatformTransport();
}

/**
 * Creates the context of calls, for the client and for code without a client object, such as the gateway. Throws a
 * `ClientError` "configuration" for an invalid setting.
 */
export function createClientContext(options: CallDefaults): ClientContext {
  checkCallDefaults(options);
  const adapters = new Map(
    Object.entries(options.providers).map(([name, config]) => [name, createProviderAdapter(name, config)]),
  );
  checkModelNames(adapters, options);
  let ownTransport: Transport | undefined;
  return {
    options,
    adapters,
    effects: resolveEffects(options.effects),
    transport: () => options.transport ?? (ownTransport ??= defaultTransport()),
    // A transport from the options belongs to the caller and stays open.
    close: async () => ownTransport?.close(),
  };
}

/** Throws for a default provider or a fallback that does not exist, before the first call needs it. */
function checkModelNames(adapters: ClientContext["adapters"], options: CallDefaults): void {
  // The name "any" is a placeholder: a name without a registered provider resolves to the default provider, or throws
  // if that provider does not exist.
  if (options.defaultProvider !== undefined) resolveModel(adapters, options, "any");
  options.fallbacks?.forEach((model, index) => resolveModel(adapters, options, model, {}, `/fallbacks/${index}`));
}
