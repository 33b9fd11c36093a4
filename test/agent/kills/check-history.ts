// Checks that every provider would accept a history without repairs.
import { checkRequest, type Message } from "../../../src/index.ts";

const PROVIDERS = ["openai-chat", "openai-responses", "anthropic", "gemini"] as const;

/** Returns the repairs that a history needs before it can be sent. */
export function illegal(messages: readonly Message[]): string[] {
  return PROVIDERS.flatMap((provider) =>
    checkRequest({ model: "m", messages: [...messages], sampling: { maxOutputTokens: 100 } }, provider)
      .filter(({ action, level }) => action === "repaired" || action === "synthesized" || level === "breaks")
      .map(({ code, path, message }) => `${provider} would need "${code}" at ${path}: ${message}`),
  );
}
