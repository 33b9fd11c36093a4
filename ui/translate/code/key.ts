// How code names the token: never by its value, which would then lie about in shells and files.
import type { CodeWish } from "../types.ts";

export const TOKEN_VARIABLE = "KOINE_TOKEN";

/** SDKs insist on a key, also where the server wants none. */
export function keyLiteral({ token }: CodeWish): string {
  return token ? `process.env.${TOKEN_VARIABLE}` : `"any"`;
}
