// Defines the registry of dialects. Routes, command line choices, documentation and conformance tests are derived from
// it.
import { ArgumentError } from "../model/argument-error.ts";
import { aiSdkModel } from "./ai-sdk-model/index.ts";
import { aiSdkUi } from "./ai-sdk-ui/index.ts";
import { anthropic } from "./anthropic/index.ts";
import { bedrock } from "./bedrock/index.ts";
import { canonical } from "./canonical/index.ts";
import type { Dialect, DialectFactory, DialectOptions } from "./dialect.ts";
import { DialectError } from "./errors.ts";
import { flat } from "./flat/index.ts";
import { gemini } from "./gemini/index.ts";
import { openaiChat } from "./openai-chat/index.ts";
import { openaiResponses } from "./openai-responses/index.ts";
import { run } from "./run/index.ts";
import { tagged } from "./tagged/index.ts";

const FACTORIES = {
  "openai-chat": openaiChat,
  "openai-responses": openaiResponses,
  anthropic,
  gemini,
  bedrock,
  "ai-sdk-ui": aiSdkUi,
  "ai-sdk-model": aiSdkModel,
  flat,
  tagged,
  run,
  canonical,
} as const satisfies Record<string, DialectFactory>;

/** The id of a dialect in the registry. */
export type DialectId = keyof typeof FACTORIES;

/** The ids of all dialects. */
export const dialects = Object.keys(FACTORIES) as readonly DialectId[];

/**
 * The dialects that were created without options, by id. They have no state, so all callers share one object per
 * dialect.
 */
const SHARED_DIALECTS = new Map<string, Dialect>();

/**
 * Returns the dialect of an id. Its decoders write `options.provider` into seals, and `options.vendor` selects the
 * deviations of a vendor from the dialect. Throws if the id is not in the registry.
 *
 * @example
 * ```ts
 * import { dialect, getText } from "koine";
 *
 * const body = { model: "claude-opus-4-8", messages: [{ role: "user", content: "Hello" }] };
 * const request = dialect("anthropic").decodeRequest(body);
 * console.log(request.messages.map(getText)); // ["Hello"]
 * const { wire, losses } = dialect("gemini").encodeRequest(request);
 * console.log(wire); // {"contents":[{"role":"user","parts":[{"text":"Hello"}]}]}
 * console.log(losses.length); // 0
 * ```
 */
export function dialect(id: DialectId | (string & {}), options?: DialectOptions): Dialect {
  if (typeof id !== "string") throw new ArgumentError("dialect", "id", "a string", id);
  if (options === null) throw new ArgumentError("dialect", "options", "an object", options);
  const factory = Object.hasOwn(FACTORIES, id) ? FACTORIES[id as DialectId] : undefined;
  if (factory !== undefined && options !== undefined) return factory(options);
  if (factory !== undefined) {
    const plain = SHARED_DIALECTS.get(id) ?? factory();
    SHARED_DIALECTS.set(id, plain);
    return plain;
  }
  const known = dialects.join(", ");
  throw new DialectError(id, "", "unknown-dialect", `There is no dialect of this name. Known dialects: ${known}.`);
}
