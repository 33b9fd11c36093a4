// Turns of a conversation that are hard to say: what a provider refuses unless it is repaired, and what is easily lost.
import type { Message } from "../model/message.ts";
import { assistant, developer, system, user } from "../model/message.ts";
import type { Part } from "../model/parts.ts";
import type { Exhibit } from "./exchange.ts";
import { call, calling, CALLS, result, tool } from "./gallery-calls.ts";

const DIALECTS = ["openai-chat", "openai-responses", "anthropic", "gemini"];

function sealedBy(dialect: string): Part[] {
  const by = { dialect, provider: "the-vendor", model: "the-model" };
  return [
    {
      type: "reasoning",
      text: `A thought for ${dialect}.`,
      seals: [{ ...by, kind: "signature", value: "c2lnbmF0dXJl" }],
    },
    { type: "reasoning", text: "", seals: [{ ...by, kind: "redacted", value: "cmVkYWN0ZWQ=" }] },
    {
      type: "reasoning",
      text: "",
      summary: [`A summary for ${dialect}.`],
      seals: [
        { ...by, kind: "encrypted", value: "ZW5jcnlwdGVk" },
        { ...by, kind: "id", value: "rs_sealed_0001" },
      ],
    },
    { type: "text", text: `An answer of ${dialect}.`, seals: [{ ...by, kind: "id", value: "msg_sealed_0001" }] },
    call(1, { seals: [{ ...by, kind: "signature", value: "Y2FsbA==" }] }),
  ];
}

const TEXTS: readonly [name: string, messages: Message[]][] = [
  ["a prefill with trailing space", [user("Tell a story."), assistant("Once upon a time \n")]],
  [
    "later instructions",
    [system("The first rule."), user("One."), system("A later rule."), user("Two."), developer("A developer's rule.")],
  ],
  [
    "instructions in blocks with breakpoints",
    [
      system([
        { type: "text", text: "Block one.", cache: { ttl: "1h" } },
        { type: "text", text: "Block two.", cache: {} },
      ]),
      user("So?"),
    ],
  ],
  [
    "more breakpoints than any provider takes",
    [1, 2, 3, 4, 5, 6].map((n) => user([{ type: "text", text: `Cached text ${n}.`, cache: {} }])),
  ],
  ["empty messages", [system([]), user([]), assistant([]), user("Still there?")]],
  [
    "blank texts",
    [
      user("  "),
      assistant([
        { type: "text", text: "" },
        { type: "text", text: "\n\n" },
      ]),
      user("Hello?"),
    ],
  ],
  ["lone surrogates", [user("Half a \ud83d pair."), assistant("The other \udc00 half."), user("Whole 🏛️.")]],
  ["an assistant first", [assistant("How can I help?"), user("Not at all.")]],
  ["one voice twice", [user("First."), user("Second."), assistant("Third."), assistant("Fourth."), user("Fifth.")]],
  ["a refusal", [user("Do harm."), assistant([{ type: "refusal", text: "I would rather not." }]), user("Good.")]],
  [
    "reasoning that nobody sealed",
    [
      user("Think."),
      assistant([
        { type: "reasoning", text: "Unsealed thoughts." },
        { type: "text", text: "Thought." },
      ]),
      user("More."),
    ],
  ],
  [
    "nothing but reasoning",
    [user("Think."), assistant([{ type: "reasoning", text: "Only thoughts." }]), user("More.")],
  ],
  ["text after results", calling([call(1)], tool(result(1)), user("A remark of the user."), assistant("Fine."))],
];

/** The conversations, each by a name. */
export function turnGallery(): Exhibit<Message[]>[] {
  const sealed = DIALECTS.map((dialect): [string, Message[]] => [
    `seals of ${dialect}`,
    [user("Think."), assistant(sealedBy(dialect)), tool(result(1)), user("More.")],
  ]);
  return [...sealed, ...CALLS, ...TEXTS].map(([name, value]) => ({ name, value }));
}
