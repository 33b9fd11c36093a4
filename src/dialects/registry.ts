// The dialects that Koine speaks, one line each. Routes, choices on the command line, documentation and conformance
// tests derive from this list.
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

export type DialectId = keyof typeof FACTORIES;

/** The ids of every dialect. */
export const dialects = Object.keys(FACTORIES) as readonly DialectId[];

/** Dialects without options: they have no state, so that one of each will do. */
const PLAIN = new Map<string, Dialect>();

/** The dialect of that name. `provider` is stamped on what is read; `vendor` selects a vendor's habits. */
export function dialect(id: DialectId | (string & {}), options?: DialectOptions): Dialect {
  const factory = Object.hasOwn(FACTORIES, id) ? FACTORIES[id as DialectId] : undefined;
  if (factory !== undefined && options !== undefined) return factory(options);
  if (factory !== undefined) {
    const plain = PLAIN.get(id) ?? factory();
    PLAIN.set(id, plain);
    return plain;
  }
  const known = dialects.join(", ");
  throw new DialectError(id, "", "unknown-dialect", `There is no dialect of that name; there are ${known}.`);
}
