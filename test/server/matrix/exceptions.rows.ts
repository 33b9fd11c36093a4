// The cells that deviate from the common expectation, each with its reason. A test checks that they deviate in exactly
// this way.
import type { UpstreamDialect } from "../../support/upstreams/index.ts";
import type { Cell, Expected, UpstreamRequest, Mode, Turn, UpstreamName } from "./types.ts";

export interface Exception {
  /** The reason, as in the documentation. */
  reason: string;
  /** Scenario ids. */
  scenarios: readonly string[];
  /** Client ids or dialects; absent: all. */
  clients?: readonly string[];
  dialects?: readonly UpstreamDialect[];
  upstreams?: readonly UpstreamName[];
  modes?: readonly Mode[];
  change: (expected: Expected, cell: Cell) => Expected;
}

const withTurns =
  (fields: Partial<Turn>): Exception["change"] =>
  (expected) => ({ ...expected, turns: expected.turns.map((turn) => ({ ...turn, ...fields })) });
const withUpstreamRequest =
  (upstreamRequest: Partial<UpstreamRequest>): Exception["change"] =>
  (expected) => ({ ...expected, upstreamRequest: { ...expected.upstreamRequest, ...upstreamRequest } });

function wrapped({ upstreamRequest: { results = [], calls = [] } = {} }: Expected): string[] {
  return results.map((content, index) => JSON.stringify({ name: calls[index]?.name, content }));
}

export const EXCEPTIONS: readonly Exception[] = [
  {
    reason:
      "Chat Completions have no field for reasoning. It is in the transcript, and is sent back to its provider with every signature.",
    scenarios: ["reasoning"],
    dialects: ["openai-chat"],
    upstreams: ["responses", "anthropic", "gemini", "router"],
    change: withTurns({ reasoning: "" }),
  },
  {
    reason:
      "The AI SDK shows summaries of reasoning from the Responses API; these providers give the reasoning itself.",
    scenarios: ["reasoning"],
    clients: ["ai-openai"],
    upstreams: ["anthropic", "gemini", "router"],
    change: withTurns({ reasoning: "" }),
  },
  {
    reason:
      "Anthropic's clients set a token budget for thinking. OpenAI's dialects have no field for it: the model decides itself, which the losses report.",
    scenarios: ["reasoning"],
    dialects: ["anthropic"],
    upstreams: ["chat", "responses", "router"],
    change: withUpstreamRequest({ isReasoning: false }),
  },
  {
    reason: "The Responses API has no stop sequences, so its clients cannot set them.",
    scenarios: ["stop"],
    dialects: ["openai-responses"],
    change: withUpstreamRequest({ stop: [] }),
  },
  {
    reason: "The Responses API has no stop sequences, so they are not sent, which the losses report.",
    scenarios: ["stop"],
    dialects: ["openai-chat", "anthropic", "gemini"],
    upstreams: ["responses"],
    change: withUpstreamRequest({ stop: [] }),
  },
  {
    reason:
      "The AI SDK requests an object by a forced tool from models whose names it does not know. Koine forwards the tool unchanged.",
    scenarios: ["structured"],
    clients: ["ai-anthropic"],
    upstreams: ["chat", "responses", "gemini"],
    change: (expected) => ({ ...expected, upstreamRequest: { tools: ["json"] } }),
  },
  {
    reason:
      "The AI SDK wraps tool results in `{ name, content }` for Gemini. Other providers receive that object as JSON.",
    scenarios: ["tools", "parallel-tools", "tool-loop"],
    clients: ["ai-google"],
    upstreams: ["chat", "responses", "anthropic"],
    change: (expected, cell) => withUpstreamRequest({ results: wrapped(expected) })(expected, cell),
  },
  {
    reason:
      "OpenAI has a separate field for a refusal and ends with `stop`. Clients without such a field receive it as text, with that finish reason.",
    scenarios: ["refusal"],
    dialects: ["anthropic", "gemini"],
    upstreams: ["chat", "responses"],
    change: withTurns({ finish: "stop" }),
  },
];

export function exceptionsOf(cell: Cell): Exception[] {
  const { client, upstream, scenario, mode } = cell;
  return EXCEPTIONS.filter(
    ({ scenarios, clients, dialects, upstreams, modes }) =>
      scenarios.includes(scenario.id) &&
      (clients?.includes(client.id) ?? true) &&
      (dialects?.includes(client.dialect) ?? true) &&
      (upstreams?.includes(upstream) ?? true) &&
      (modes?.includes(mode) ?? true),
  );
}

/** Returns the expectation of a cell including its exceptions. */
export function expectedOf(cell: Cell, exceptions = exceptionsOf(cell)): Expected {
  return exceptions.reduce((expected, { change }) => change(expected, cell), cell.scenario.expected(cell));
}
