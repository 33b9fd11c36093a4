// Fills a server with invented conversations of several SDKs and models, for screenshots and accessibility tests. All
// calls go through the server.
import type { LocalProvider } from "../../../src/client/index.ts";
import { disassemble } from "../../../src/assembly/index.ts";
import type { Part, ModelRequest, Usage } from "../../../src/model/index.ts";
import type { ConfigInput } from "../../../src/server/config/config-input.ts";
import type { KoineServer } from "../../../src/server/server.ts";

export const STORY_NOW = Date.parse("2026-11-16T10:24:00Z");
const MINUTE = 60_000;

/** A clock that the story controls. */
export class StoryClock {
  now = STORY_NOW;
  readonly read = (): number => this.now++;
}

interface StoryAnswer {
  parts: Part[];
  usage: Usage;
}

const usage = (inputTokens: number, outputTokens: number, more: Partial<Usage> = {}): Usage => ({
  inputTokens,
  outputTokens,
  totalTokens: inputTokens + outputTokens,
  ...more,
});
const text = (content: string): Part => ({ type: "text", text: content });

const HARBOUR = `Three things decide it, in this order:

1. **Draught.** The inner basin has 2.1 m at low water; you need 2.4 m with the board down.
2. **Wind.** The mole shelters from the west, not from the *meltemi*.
3. **Room to turn.** Less than two lengths at the end of the pier.

| berth | depth | shelter | verdict |
|---|---:|---|---|
| inner basin | 2.1 m | good | too shallow |
| mole, inside | 3.4 m | west only | **take this one** |
| outer quay | 5.0 m | none | calm days |

\`\`\`ts
const clearance = depthAtLowWater - draught; // metres
if (clearance < 0.5) throw new RangeError(\`Only \${clearance} m under the keel\`);
\`\`\`

Ask the harbour master for the mole, and put the anchor out *before* you turn.`;

const ANSWERS: Record<string, StoryAnswer[]> = {
  "Where should I berth in Kalymnos with a draught of 2.4 m?": [
    {
      parts: [
        {
          type: "reasoning",
          text: "The draught is what decides. Let me compare the basin, the mole and the outer quay, then the wind of the season.",
          seals: [{ dialect: "anthropic", kind: "signature", value: "c2VhbGVk", provider: "anthropic" }],
        },
        text(HARBOUR),
      ],
      usage: usage(1_284, 412, { cacheReadTokens: 1_024, reasoningTokens: 96, cost: 0.0143 }),
    },
    {
      parts: [text("The mole, inside: 3.4 m at low water. The inner basin is too shallow for you.")],
      usage: usage(1_284, 24, { cost: 0.0041 }),
    },
  ],
  "And if the meltemi blows?": [
    {
      parts: [
        text(
          "Then stay on the west side, at **Emporios**: good holding in sand, 6 m, and the hill takes the gusts. Leave the mole before the afternoon.",
        ),
      ],
      usage: usage(1_730, 61, { cacheReadTokens: 1_280, cost: 0.0067 }),
    },
  ],
  "Is the ferry to Leros on time? Book two seats if it is.": [
    {
      parts: [
        { type: "reasoning", text: "First the timetable, then the booking." },
        {
          type: "tool-call",
          toolCallId: "call_1",
          toolName: "ferry_status",
          input: { from: "Kalymnos", to: "Leros", date: "2026-11-16" },
        },
      ],
      usage: usage(612, 48, { reasoningTokens: 12, cost: 0.0019 }),
    },
    {
      parts: [
        {
          type: "tool-call",
          toolCallId: "call_2",
          toolName: "book_seats",
          input: { sailing: "KL-1745", seats: 2, customer: 9007199254740993n.toString() },
        },
      ],
      usage: usage(744, 39, { cost: 0.0021 }),
    },
    {
      parts: [text("The 17:45 is on time, and two seats are booked: **KL-1745**, places 14A and 14B.")],
      usage: usage(812, 31, { cost: 0.0022 }),
    },
  ],
  "What is on this picture?": [
    {
      parts: [text("A small blue square with a white sail. It could be the logo of a sailing club.")],
      usage: usage(318, 22),
    },
  ],
  "Which islands have a lighthouse older than 1900?": [
    {
      parts: [
        {
          type: "text",
          text: "Several do. The lighthouse of Syros was lit in 1834, and that of Kythera in 1857.",
          annotations: [
            {
              kind: "url",
              url: "https://example.com/lighthouses/syros",
              title: "The lighthouse of Syros",
              citedText: "lit for the first time in 1834",
              span: { start: 16, end: 51 },
            },
          ],
        },
      ],
      usage: usage(2_210, 57, { cost: 0.0052 }),
    },
  ],
  "Write a limerick about a harbour master.": [
    {
      parts: [
        text(
          "A harbour master in Kos\nhad charts of the sea and its moss;\nwhen asked for a berth\nhe laughed, full of mirth:\n“The sea gives no berth without loss.”",
        ),
      ],
      usage: usage(42, 48),
    },
  ],
};

/** Creates a provider that answers by the user's text and the number of tool rounds since. */
function createStoryProvider(models: string[]): LocalProvider {
  const requestCounts = new Map<string, number>();
  return {
    models,
    answer(request) {
      const question = findLastQuestion(request);
      const answers = ANSWERS[question] ?? [
        { parts: [text(`I have nothing to say to “${question}”.`)], usage: usage(9, 9) },
      ];
      const toolRounds = countToolRounds(request);
      const previousRequests = requestCounts.get(question) ?? 0;
      if (toolRounds === 0) requestCounts.set(question, previousRequests + 1);
      const answer = answers[Math.min(toolRounds > 0 ? toolRounds : previousRequests, answers.length - 1)];
      const parts = answer?.parts ?? [];
      const calls = parts.some(({ type }) => type === "tool-call");
      return disassemble({
        id: `answer-${question.length}-${previousRequests}-${toolRounds}`,
        model: request.model ?? "",
        message: { role: "assistant", parts },
        finishReason: { unified: calls ? "tool-calls" : "stop" },
        ...(answer && { usage: answer.usage }),
      });
    },
  };
}

function findLastQuestion({ messages }: ModelRequest): string {
  const userMessage = messages.findLast(({ role }) => role === "user");
  return userMessage?.parts.flatMap((part) => (part.type === "text" ? [part.text] : [])).join("") ?? "";
}

function countToolRounds({ messages }: ModelRequest): number {
  const from = messages.findLastIndex(({ role }) => role === "user");
  return messages.slice(from).filter(({ role }) => role === "tool").length;
}

export function storyConfig(): Pick<ConfigInput, "providers"> {
  return {
    providers: {
      anthropic: createStoryProvider(["claude-opus-4-8", "claude-haiku-4-5"]),
      openai: createStoryProvider(["gpt-5", "gpt-5-mini"]),
      gemini: createStoryProvider(["gemini-3-pro"]),
    },
  };
}

type Chat = { role: string; content?: unknown; tool_calls?: unknown; tool_call_id?: string };

async function requestCompletion(
  koine: KoineServer,
  model: string,
  messages: Chat[],
  more: object = {},
): Promise<{ reply: Chat; thread: string }> {
  const response = await fetch(`${koine.url}/v1/chat/completions`, {
    method: "POST",
    headers: { "content-type": "application/json", "user-agent": "OpenAI/JS 7.53.0" },
    body: JSON.stringify({ model, messages, ...more }),
  });
  // Not validated: the server's own reply.
  const body = (await response.json()) as { choices: { message: Chat }[] };
  const reply = body.choices[0]?.message;
  if (reply === undefined) throw new Error(`The story broke off: ${JSON.stringify(body)}`);
  return { reply, thread: response.headers.get("x-koine-thread") ?? "" };
}

const TOOLS = [
  ["ferry_status", { from: "string", to: "string", date: "string" }],
  ["book_seats", { sailing: "string", seats: "integer", customer: "string" }],
].map(([name, fields]) => ({
  type: "function",
  function: {
    name,
    parameters: {
      type: "object",
      properties: Object.fromEntries(Object.entries(fields ?? {}).map(([field, type]) => [field, { type }])),
    },
  },
}));
const RESULTS = [
  '{"sailing":"KL-1745","departs":"17:45","status":"on time","seatsLeft":9}',
  '{"booked":["14A","14B"],"price":"18.40 EUR"}',
];

const PICTURE =
  "data:image/svg+xml;base64," +
  Buffer.from(
    '<svg xmlns="http://www.w3.org/2000/svg" width="96" height="96"><rect width="96" height="96" rx="12" fill="#1d4ed8"/><path d="M44 16v52H20zM50 26v42h24z" fill="#fff"/></svg>',
  ).toString("base64");

export interface Story {
  /** Has branches, a table, code and reasoning. */
  harbour: string;
  /** Has tool calls. */
  ferry: string;
  picture: string;
  lighthouses: string;
  limerick: string;
}

/** Plays the story; `clock` is the server's. */
export async function playStory(koine: KoineServer, clock: StoryClock): Promise<Story> {
  const setTime = (minutesAgo: number): void => void (clock.now = STORY_NOW - minutesAgo * MINUTE);
  setTime(9 * 24 * 60);
  const limerick = await requestCompletion(koine, "openai/gpt-5-mini", [
    { role: "user", content: "Write a limerick about a harbour master." },
  ]);
  setTime(3 * 24 * 60);
  const lighthouses = await requestCompletion(koine, "gemini/gemini-3-pro", [
    { role: "user", content: "Which islands have a lighthouse older than 1900?" },
  ]);
  setTime(26 * 60);
  const picture = await requestCompletion(koine, "openai/gpt-5", [
    {
      role: "user",
      content: [
        { type: "text", text: "What is on this picture?" },
        { type: "image_url", image_url: { url: PICTURE } },
      ],
    },
  ]);
  setTime(95);
  const ferry = await playFerry(koine);
  setTime(14);
  const harbour = await playHarbour(koine, clock);
  clock.now = STORY_NOW;
  return { harbour, ferry, picture: picture.thread, lighthouses: lighthouses.thread, limerick: limerick.thread };
}

async function playFerry(koine: KoineServer): Promise<string> {
  const messages: Chat[] = [
    { role: "system", content: "You are the booking desk of a ferry line. Never book a sailing that is late." },
    { role: "user", content: "Is the ferry to Leros on time? Book two seats if it is." },
  ];
  let thread = "";
  for (const result of RESULTS) {
    const { reply, thread: id } = await requestCompletion(koine, "openai/gpt-5", messages, { tools: TOOLS });
    thread = id;
    // Not validated: the server's own reply.
    const [call] = reply.tool_calls as [{ id: string }];
    messages.push(reply, { role: "tool", tool_call_id: call.id, content: result });
  }
  await requestCompletion(koine, "openai/gpt-5", messages, { tools: TOOLS });
  return thread;
}

/** Has a regenerated answer, and continues with the first one. */
async function playHarbour(koine: KoineServer, clock: StoryClock): Promise<string> {
  const question: Chat[] = [
    { role: "system", content: "You know every harbour of the Dodecanese. Be brief." },
    { role: "user", content: "Where should I berth in Kalymnos with a draught of 2.4 m?" },
  ];
  const first = await requestCompletion(koine, "anthropic/claude-opus-4-8", question);
  clock.now += 2 * MINUTE;
  await fetch(`${koine.url}/v1/threads/${first.thread}/regenerate`, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify({ model: "anthropic/claude-haiku-4-5" }),
  });
  clock.now += 3 * MINUTE;
  const { thread } = await requestCompletion(koine, "anthropic/claude-opus-4-8", [
    ...question,
    first.reply,
    { role: "user", content: "And if the meltemi blows?" },
  ]);
  return thread;
}
