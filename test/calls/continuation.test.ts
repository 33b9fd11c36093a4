// Conversations that move between providers and back, with reasoning and parallel calls on both sides: each provider
// receives its own seals unchanged, and none of another provider.
import { describe, expect, test } from "vitest";
import type { HttpProvider } from "../../src/client/index.ts";
import { createClient } from "../../src/client/index.ts";
import type { Answer as ClientAnswer, Client } from "../../src/client/index.ts";
import type { Message, Part, ModelRequest, Tool, ToolCallPart } from "../../src/index.ts";
import { editPart, reasoning, text, toolCall, toolResult, user } from "../../src/index.ts";
import type { Answer, Scripted, Upstream, UpstreamDialect, UpstreamOptions } from "../support/upstreams/index.ts";
import { startUpstream } from "../support/upstreams/index.ts";

/** A provider in one of its configurations. */
interface Participant {
  dialect: UpstreamDialect;
  vendor?: UpstreamOptions["vendor"];
  config?: Partial<HttpProvider>;
  /** A model other than the usual one. */
  model?: string;
  /** The provider stores its answers, so they are not sent again. */
  remembers?: true;
  /** Some of its reasoning is hidden and consists of a seal only (B3). */
  hides?: true;
  /** It shows no reasoning and has no seals. */
  isSealless?: true;
}

const MAIN: Readonly<Record<string, Participant>> = {
  "Chat with sealed reasoning": { dialect: "openai-chat", vendor: "openrouter", hides: true },
  "Responses without storage": { dialect: "openai-responses", config: { store: false } },
  Anthropic: { dialect: "anthropic", hides: true },
  Gemini: { dialect: "gemini" },
};
const OTHERS: typeof MAIN = {
  "Chat of OpenAI": { dialect: "openai-chat", config: { vendor: "openai" }, model: "gpt-5.2", isSealless: true },
  "Responses with storage": { dialect: "openai-responses" },
  "Responses with previous_response_id": {
    dialect: "openai-responses",
    config: { state: "previous-response" },
    remembers: true,
  },
  "Anthropic with a budget": { dialect: "anthropic", model: "claude-haiku-4-5" },
  "Gemini without call ids": { dialect: "gemini", model: "gemini-2.5-flash" },
};

const TOOLS = ["look", "book"].map((name): Tool => ({
  type: "function",
  name,
  description: `Can ${name}.`,
  inputSchema: {
    type: "object",
    properties: { at: { type: "string" } },
    required: ["at"],
    additionalProperties: false,
  },
}));

/** Reasoning, text, and two parallel calls with reasoning between them (B2). */
function round(who: string, turn: number, hides: boolean): Answer {
  return {
    parts: [
      reasoning(`${who} thinks for the ${turn}. time: "ἀλήθεια", \\ and\nmore.`),
      ...(hides ? [reasoning("")] : []),
      text(`${who} requests ${turn}.`),
      toolCall("", "look", { at: `${who} ${turn}`, tags: ["é", "\u2028"], size: 12.5 }),
      reasoning("One more."),
      toolCall("", "book", { at: "Roma" }),
    ],
    pieces: 300,
  };
}

function ending(who: string): Answer {
  return { parts: [reasoning(`${who} sums up.`), text(`${who} is done.`)], pieces: 300 };
}

/** The providers of the turns, and the user's messages between them: `results` answers the calls of the last answer. */
type Story = readonly (readonly ["a" | "b", "round" | "ending", before: string])[];

const STORIES: Readonly<Record<string, Story>> = {
  "between turns": [
    ["a", "round", "Where to?"],
    ["a", "ending", "results"],
    ["b", "round", "And then?"],
    ["b", "ending", "results"],
    ["a", "round", "And at last?"],
    ["a", "ending", "results"],
  ],
  "within a tool round": [
    ["a", "round", "Where to?"],
    ["b", "round", "results"],
    ["a", "round", "results"],
    ["a", "round", "results"],
    ["b", "ending", "results"],
    ["a", "ending", "Again?"],
  ],
};

type Mode = "complete" | "stream";

/** One provider of the conversation. */
interface Party {
  participant: Participant;
  upstream: Upstream;
  model: string;
  /** Its requests and its answers. */
  requests: Message[][];
  answers: ClientAnswer[];
}

async function seat(name: "a" | "b", participant: Participant, story: Story): Promise<Party> {
  const turns = story.filter(([who]) => who === name);
  const { dialect, vendor, model, hides = false } = participant;
  const script = turns.map(([who, what], index): Scripted =>
    what === "round" ? round(who, index + 1, hides) : ending(who),
  );
  const upstream = await startUpstream(dialect, script, { name, ...(vendor !== undefined && { vendor }) });
  return { participant, upstream, model: `${name}/${model ?? upstream.model}`, requests: [], answers: [] };
}

/** Runs a conversation; messages go through JSON each time, as through a database. */
async function runStory(story: Story, parties: Readonly<Record<"a" | "b", Party>>, mode: Mode): Promise<Message[]> {
  await using client = createClient({
    providers: { a: configOf(parties.a), b: configOf(parties.b) },
    retry: { attempts: 1 },
  });
  let messages: Message[] = [];
  for (const [who, , before] of story) {
    if (before === "results") messages.push(...resultsFor(messages.at(-1)));
    else messages.push(user(before));
    messages = JSON.parse(JSON.stringify(messages)) as Message[];
    const party = parties[who];
    const answer = await callModel(client, requestTo(party, messages), mode);
    party.requests.push([...messages]);
    party.answers.push(answer);
    messages.push(answer.message);
  }
  return messages;
}

function requestTo({ model }: Party, messages: Message[]): ModelRequest {
  return { model, messages, tools: TOOLS, reasoning: { effort: "low" }, sampling: { maxOutputTokens: 20_000 } };
}

function callModel(client: Client, request: ModelRequest, mode: Mode): Promise<ClientAnswer> {
  return mode === "stream" ? client.stream(request).response() : client.complete(request);
}

/** The last call is answered first: results are matched by id (B25). */
function resultsFor(message: Message | undefined): Message[] {
  return callsOf(message)
    .toReversed()
    .map((call) => toolResult(call, { found: call.toolName }));
}

function callsOf(message: Message | undefined): ToolCallPart[] {
  return (message?.parts ?? []).filter((part) => part.type === "tool-call");
}

/** Returns everything that only its issuer can read. */
function sealsOf(answers: readonly ClientAnswer[]): string[] {
  return answers.flatMap(({ message }) =>
    message.parts.flatMap((part: Part) => (part.seals ?? []).map(({ value }) => value)),
  );
}

function missing(seals: readonly string[], body: unknown): string[] {
  const sent = JSON.stringify(body);
  return seals.filter((seal) => !sent.includes(JSON.stringify(seal)));
}

function checkParty(party: Party, other: Party): void {
  const { upstream, participant, answers } = party;
  expect(upstream.rejections.map(({ message }) => message)).toStrictEqual([]);
  expect(sealsOf(answers).length > 0).toBe(participant.isSealless !== true);
  upstream.requests.forEach(({ body }, turn) => {
    const own = sealsOf(answers.slice(0, turn));
    if (participant.remembers !== true) expect(missing(own, body)).toStrictEqual([]);
    const others = sealsOf(other.answers);
    expect(missing(others, body)).toStrictEqual(others);
  });
  // Every seal of the other provider that is not sent is reported.
  const foreign = new Set(sealsOf(other.answers));
  const places = party.requests.map((messages) => placesOf(foreign, messages));
  expect(places.some((each) => each.length > 0)).toBe(foreign.size > 0);
  expect(places.flatMap((each, turn) => unreported(each, answers[turn]))).toStrictEqual([]);
}

/** Returns the positions of seals in messages. */
function placesOf(seals: ReadonlySet<string>, messages: readonly Message[]): string[] {
  return messages.flatMap(({ parts }, at) =>
    parts.flatMap((part, index) =>
      (part.seals ?? []).flatMap(({ value }, seal) =>
        seals.has(value) ? [`/messages/${at}/parts/${index}/seals/${seal}`] : [],
      ),
    ),
  );
}

/** Returns the positions that no loss covers. */
function unreported(places: readonly string[], answer: ClientAnswer | undefined): string[] {
  const lossPaths = (answer?.losses ?? []).map(({ path }) => path);
  return places.filter((place) => !lossPaths.some((path) => place === path || place.startsWith(`${path}/`)));
}

async function run(a: Participant, b: Participant, story: Story, mode: Mode): Promise<void> {
  const partyA = await seat("a", a, story);
  const partyB = await seat("b", b, story);
  await using one = partyA.upstream;
  await using other = partyB.upstream;
  const messages = await runStory(story, { a: partyA, b: partyB }, mode);
  checkParty(partyA, partyB);
  checkParty(partyB, partyA);
  expect(one.answered + other.answered).toBe(story.length);
  expect(messages.at(-1)?.parts.findLast((part) => part.type === "text")?.text).toBe("a is done.");
  const inputs = messages.flatMap((message) => callsOf(message).map(({ input }) => input));
  expect(inputs).toContainEqual({ at: "b 1", tags: ["é", "\u2028"], size: 12.5 });
}

const ALL = { ...MAIN, ...OTHERS };
const PAIRS = Object.keys(MAIN).flatMap((a) => Object.keys(MAIN).map((b) => [a, b] as const));
const OTHER_PAIRS = Object.keys(OTHERS).flatMap((a) =>
  Object.keys(MAIN).flatMap((b) => [[a, b] as const, [b, a] as const]),
);

function named(name: string): Participant {
  const participant = ALL[name];
  if (participant === undefined) throw new Error(`There is no ${name}.`);
  return participant;
}

describe.each(Object.entries(STORIES))("B1, B2, B3, B5, B9, B12, B25: to another provider and back, %s", (_, story) => {
  describe.each(["complete", "stream"] as const)("%s", (mode) => {
    test.each(PAIRS)("%s, %s", (a, b) => run(named(a), named(b), story, mode));
  });
  test.each(OTHER_PAIRS)("%s, %s", (a, b) => run(named(a), named(b), story, "stream"));
});

/** A round of one provider whose history is changed before its results are sent. */
async function change(name: string, edit: (part: Part) => Part): Promise<{ party: Party; failure: unknown }> {
  const party = await seat("a", named(name), STORIES["between turns"] ?? []);
  await using upstream = party.upstream;
  await using client = createClient({ providers: { a: configOf(party) }, retry: { attempts: 1 } });
  const messages: Message[] = [user("Where to?")];
  const first = await callModel(client, requestTo(party, messages), "complete");
  const message: Message = { ...first.message, parts: first.message.parts.map(edit) };
  messages.push(message, ...resultsFor(message));
  const failure = await callModel(client, requestTo(party, messages), "complete").then(
    (answer) => void party.answers.push(answer),
    (error: unknown) => error,
  );
  expect(upstream.requests.length).toBe(2);
  return { party, failure };
}

function configOf({ upstream, participant }: Party): HttpProvider {
  return { ...upstream.config, ...participant.config };
}

/** Changes sealed content without removing its seal. */
function tamper(part: Part): Part {
  const seals = (part.seals ?? []).map((seal) => (seal.kind === "encrypted" ? { ...seal, value: "gAAA" } : seal));
  if (seals.length === 0) return part;
  if (part.type === "reasoning") return { ...part, text: part.text === "" ? "" : "I think not.", seals };
  return part.type === "tool-call" ? { ...part, input: { at: "elsewhere" }, seals } : { ...part, seals };
}

test.each(Object.keys(MAIN))("an altered sealed part is rejected: %s", async (name) => {
  const { party, failure } = await change(name, tamper);
  expect(party.upstream.rejections.length).toBe(1);
  expect(failure).toMatchObject({ code: "invalid-request", status: 400, provider: "a" });
});

async function expectEdited(name: string): Promise<void> {
  const { failure, party } = await change(name, (part) => {
    if (part.type === "reasoning") return editPart(part, { text: "I think not." });
    return part.type === "tool-call" ? editPart(part, { input: { at: "elsewhere" } }) : part;
  });
  expect(failure).toBeUndefined();
  expect(JSON.stringify(party.upstream.requests[1]?.body)).toContain("elsewhere");
}

const EDITED = "B6, B7: an edited part is sent without its seal";
test.each(["Chat with sealed reasoning", "Anthropic", "Anthropic with a budget", "Gemini"])(
  `${EDITED}: %s`,
  expectEdited,
);
// The text that follows is sent without its id, which would require the reasoning.
test.each(["Responses without storage", "Responses with storage"])(`${EDITED}: %s`, expectEdited);

function withoutSeals(part: Part): Part {
  const plainPart = { ...part };
  delete plainPart.seals;
  delete plainPart.extra;
  return plainPart;
}

/** The history of a client that stored only the plain fields. */
const WITHOUT: readonly (readonly [name: string, code: string])[] = [
  ["Responses without storage", "reasoning-unsupported"],
  ["Responses with storage", "reasoning-unsupported"],
  ["Anthropic", "reasoning-unsupported"],
  ["Anthropic with a budget", "reasoning-disabled"],
  ["Gemini", "signature-placeholder"],
];

test.each(WITHOUT)(
  "B8, B10, B13: %s continues without seals that a client dropped, and reports %s",
  async (name, code) => {
    const { party, failure } = await change(name, withoutSeals);
    expect(failure).toBeUndefined();
    expect(party.answers.flatMap(({ losses }) => losses.map((loss) => loss.code))).toContain(code);
  },
);
