// Creates a client middleware that counts and traces the model calls of agents. Gateway calls are counted by
// call-counters.ts.
import type { Answer, CallOutcome, Middleware } from "../../client/index.ts";
import { ClientError, tapStream } from "../../client/index.ts";
import type { Metrics } from "./metrics.ts";
import type { Tracer } from "./tracing.ts";

export function observeAgentCalls(metrics: Metrics, tracer: Tracer): Middleware {
  const calls = metrics.counter("koine_calls_total", "Model calls by the client's dialect, the provider and the end.");
  const tokens = metrics.counter("koine_tokens_total", "Tokens as counted by providers.");
  const begin = (model: string): ((outcome: CallOutcome) => void) => {
    const span = tracer.span(`chat ${model}`, { "gen_ai.operation.name": "chat", "gen_ai.request.model": model });
    return (outcome) => {
      const error = "error" in outcome ? outcome.error : undefined;
      const answer = "answer" in outcome ? outcome.answer : undefined;
      const provider = answer?.provider ?? (error instanceof ClientError ? error.provider : undefined) ?? "none";
      calls.add(1, { dialect: "agent", provider, end: toEndLabel(error) });
      if (answer?.usage !== undefined) {
        tokens.add(answer.usage.inputTokens, { provider, direction: "input" });
        tokens.add(answer.usage.outputTokens, { provider, direction: "output" });
      }
      span.set({ "gen_ai.provider.name": provider, ...(answer && toSpanFields(answer)) });
      span.end(error === undefined ? undefined : toEndLabel(error));
    };
  };
  return {
    name: "observe-agent-calls",
    async complete(call, next) {
      const end = begin(call.request.model ?? "default");
      try {
        const answer = await next(call);
        end({ answer });
        return answer;
      } catch (error) {
        end({ error });
        throw error;
      }
    },
    stream: (call, next) =>
      tapStream(next(call), { ended: begin(call.request.model ?? "default") }, call.options.signal),
  };
}

function toEndLabel(error: unknown): string {
  if (error === undefined) return "ok";
  return error instanceof ClientError ? error.code : "unknown";
}

function toSpanFields({ model, id, finishReason, usage }: Answer): Parameters<ReturnType<Tracer["span"]>["set"]>[0] {
  return {
    "gen_ai.response.model": model,
    "gen_ai.response.id": id,
    "gen_ai.response.finish_reasons": [finishReason.unified],
    "gen_ai.usage.input_tokens": usage?.inputTokens,
    "gen_ai.usage.output_tokens": usage?.outputTokens,
  };
}
