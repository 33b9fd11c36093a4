// The cells that differ from what every cell does, each with its reason. A test holds both: that they differ in just this
// way, and that they still do.
import type { UpstreamDialect } from "../../support/upstreams/index.ts";
import type { Cell, Expected, Heard, Mode, Turn, UpstreamName } from "./types.ts";

export interface Exception {
  /** Why, as the documentation says it. */
  reason: string;
  /** By their ids. */
  scenarios: readonly string[];
  /** Ids of clients, or the dialects that they speak; absent: all. */
  clients?: readonly string[];
  dialects?: readonly UpstreamDialect[];
  upstreams?: readonly UpstreamName[];
  modes?: readonly Mode[];
  change: (expected: Expected, cell: Cell) => Expected;
}

const withTurns =
  (said: Partial<Turn>): Exception["change"] =>
  (expected) => ({ ...expected, turns: expected.turns.map((turn) => ({ ...turn, ...said })) });
const withHeard =
  (heard: Partial<Heard>): Exception["change"] =>
  (expected) => ({ ...expected, heard: { ...expected.heard, ...heard } });

function wrapped({ heard: { results = [], calls = [] } = {} }: Expected): string[] {
  return results.map((content, index) => JSON.stringify({ name: calls[index]?.name, content }));
}

export const EXCEPTIONS: readonly Exception[] = [
  {
    reason:
      "Chat Completions have no place for what a model thinks. It is in the transcript, and goes back to its provider with every signature.",
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
      "Anthropic's clients give thinking a budget of tokens. OpenAI's dialects have no field for one: the model thinks as much as it sees fit, and the losses say so.",
    scenarios: ["reasoning"],
    dialects: ["anthropic"],
    upstreams: ["chat", "responses", "router"],
    change: withHeard({ isReasoning: false }),
  },
  {
    reason: "The Responses API has no stop sequences, so its clients cannot ask for them.",
    scenarios: ["stop"],
    dialects: ["openai-responses"],
    change: withHeard({ stop: [] }),
  },
  {
    reason: "The Responses API has no stop sequences, so it is not told of them; the losses say so.",
    scenarios: ["stop"],
    dialects: ["openai-chat", "anthropic", "gemini"],
    upstreams: ["responses"],
    change: withHeard({ stop: [] }),
  },
  {
    reason:
      "The AI SDK asks models whose names it does not know for an object by a forced tool. Koine hands that on as it is.",
    scenarios: ["structured"],
    clients: ["ai-anthropic"],
    upstreams: ["chat", "responses", "gemini"],
    change: (expected) => ({ ...expected, heard: { tools: ["json"] } }),
  },
  {
    reason:
      "The AI SDK wraps what a tool said in `{ name, content }` for Gemini. Other providers get that object as JSON.",
    scenarios: ["tools", "parallel-tools", "tool-loop"],
    clients: ["ai-google"],
    upstreams: ["chat", "responses", "anthropic"],
    change: (expected, cell) => withHeard({ results: wrapped(expected) })(expected, cell),
  },
  {
    reason:
      "OpenAI says a refusal in a field of its own and ends with `stop`. Clients that have no such field get it as the text, with that finish.",
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

/** What must come of a cell, its exceptions counted in. */
export function expectedOf(cell: Cell, exceptions = exceptionsOf(cell)): Expected {
  return exceptions.reduce((expected, { change }) => change(expected, cell), cell.scenario.expected(cell));
}
