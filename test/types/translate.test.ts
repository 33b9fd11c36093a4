// The types of `translate`: `wire` has the type of the target dialect and the kind. The compiler checks them.
import { expectTypeOf, test } from "vitest";
import type { AnthropicRequest } from "koine/dialects/anthropic";
import type { ChatResponse } from "koine/dialects/openai-chat";
import { translate, type TranslateKind, type WireEvent } from "koine";

const body: unknown = { contents: [{ role: "user", parts: [{ text: "Hi." }] }] };

test("`wire` is typed by the target dialect and the kind", () => {
  const request = () => translate({ from: "gemini", to: "anthropic", kind: "request", wire: body });
  expectTypeOf(request).returns.toHaveProperty("wire").toEqualTypeOf<AnthropicRequest>();
  const response = () => translate({ from: "gemini", to: "openai-chat", kind: "response", wire: body });
  expectTypeOf(response).returns.toHaveProperty("wire").toEqualTypeOf<ChatResponse>();
  const stream = () => translate({ from: "gemini", to: "openai-chat", kind: "stream", wire: body });
  expectTypeOf(stream).returns.toHaveProperty("wire").toEqualTypeOf<WireEvent[]>();
});

test("`wire` is unknown if the dialect or the kind is not known at compile time", () => {
  const anyDialect = (to: string) => translate({ to, kind: "request", wire: body });
  expectTypeOf(anyDialect).returns.toHaveProperty("wire").toEqualTypeOf<unknown>();
  const anyKind = (kind: TranslateKind) => translate({ from: "gemini", to: "anthropic", kind, wire: body });
  expectTypeOf(anyKind).returns.toHaveProperty("wire").not.toEqualTypeOf<AnthropicRequest>();
});
