// Generates the expression for the API key in generated code: it reads an environment variable and never contains the
// token.
import type { CodeOptions } from "../types.ts";

export const TOKEN_VARIABLE = "KOINE_TOKEN";

/**
 * Returns the code of the API key. If the server requires no token, the code is an arbitrary text, because SDKs require
 * a key.
 */
export function toTokenLiteral({ token }: CodeOptions): string {
  return token ? `process.env.${TOKEN_VARIABLE}` : `"any"`;
}
