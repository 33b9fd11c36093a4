// Types of tools: the input has the output type of the schema.
import { expectTypeOf, test } from "vitest";
import { z } from "zod";
import type {
  Agent,
  AgentError,
  AgentEvent,
  AgentOptions,
  AgentResult,
  AgentTool,
  ToolOutput,
} from "../../src/agent/index.ts";
import { createAgent, tool, toolOutput } from "../../src/agent/index.ts";
import type { StoredMessage } from "../../src/model/index.ts";

const typed = tool({
  name: "typed",
  input: z.object({ city: z.string(), days: z.coerce.number().default(1) }),
  run: (input, context) => {
    expectTypeOf(input).toEqualTypeOf<{ city: string; days: number }>();
    expectTypeOf(context.signal).toEqualTypeOf<AbortSignal>();
    return input.city;
  },
});

test("the input of a Standard Schema is its output type, a JSON Schema's is unknown", () => {
  const plain = tool({
    name: "plain",
    input: { type: "object", properties: { city: { type: "string" } } },
    run: (input) => {
      expectTypeOf(input).toEqualTypeOf<unknown>();
      return toolOutput({ content: [{ type: "text", text: "a" }] });
    },
  });
  const free = tool({
    name: "free",
    run: (input) => {
      expectTypeOf(input).toEqualTypeOf<unknown>();
    },
  });
  expectTypeOf([typed, plain, free]).toExtend<NonNullable<AgentOptions["tools"]>>();
  expectTypeOf(typed).toExtend<AgentTool>();
  expectTypeOf(toolOutput).returns.toEqualTypeOf<ToolOutput>();
});

test("an invalid definition is not a tool", () => {
  // @ts-expect-error -- a tool needs a function
  tool({ name: "t" });
  // @ts-expect-error -- another word for retry
  tool({ name: "t", retry: "always", run: () => 1 });
  // @ts-expect-error -- the schema lets no number through
  tool({ name: "t", input: z.object({ a: z.string() }), run: ({ a }: { a: number }) => a });
});

test("an agent gives runs, runs give events and results", () => {
  expectTypeOf(createAgent).returns.toEqualTypeOf<Agent>();
  expectTypeOf<Agent["run"]>().returns.toExtend<AsyncIterable<AgentEvent>>();
  expectTypeOf<AgentResult["message"]>().toEqualTypeOf<StoredMessage | undefined>();
  expectTypeOf<Extract<AgentEvent, { type: "message" }>["message"]>().toEqualTypeOf<StoredMessage>();
  expectTypeOf<{ client: never; model: string; request: { messages: [] } }>().not.toExtend<AgentOptions>();
  expectTypeOf<NonNullable<AgentOptions["onProblem"]>>().parameter(0).toEqualTypeOf<AgentError>();
});
