// The API key in generated code: an environment variable, never the token itself.
import type { CodeOptions } from "../types.ts";

export const TOKEN_VARIABLE = "KOINE_TOKEN";

/** SDKs require a key, even if the server does not. */
export function toTokenLiteral({ token }: CodeOptions): string {
  return token ? `process.env.${TOKEN_VARIABLE}` : `"any"`;
}
