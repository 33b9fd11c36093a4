// Creates histories that are difficult to encode: turns that providers reject without a repair, and content that is
// easily lost.
import type { Message } from "../../model/message.ts";
import { assistant, developer, system, user } from "../../model/message.ts";
import type { Part } from "../../model/parts.ts";
import type { NamedValue } from "../checks/payload-codec.ts";
import {
  toolCall,
  conversationWithCalls,
  DIFFICULT_TOOL_CALLS,
  toolResult,
  toolMessage,
} from "./difficult-tool-calls.ts";

const DIALECTS = ["openai-chat", "openai-responses", "anthropic", "gemini"];

function partsSealedBy(dialect: string): Part[] {
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
    toolCall(1, { seals: [{ ...by, kind: "signature", value: "Y2FsbA==" }] }),
  ];
}

const DIFFICULT_TEXTS: readonly [name: string, messages: Message[]][] = [
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
    "more breakpoints than any provider accepts",
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
  [
    "consecutive messages of one role",
    [user("First."), user("Second."), assistant("Third."), assistant("Fourth."), user("Fifth.")],
  ],
  ["a refusal", [user("Do harm."), assistant([{ type: "refusal", text: "I would rather not." }]), user("Good.")]],
  [
    "reasoning without a seal",
    [
      user("Think."),
      assistant([
        { type: "reasoning", text: "Unsealed thoughts." },
        { type: "text", text: "Thought." },
      ]),
      user("More."),
    ],
  ],
  ["only reasoning", [user("Think."), assistant([{ type: "reasoning", text: "Only thoughts." }]), user("More.")]],
  [
    "text after results",
    conversationWithCalls([toolCall(1)], toolMessage(toolResult(1)), user("A remark of the user."), assistant("Fine.")),
  ],
];

export function difficultTurns(): NamedValue<Message[]>[] {
  const sealed = DIALECTS.map((dialect): [string, Message[]] => [
    `seals of ${dialect}`,
    [user("Think."), assistant(partsSealedBy(dialect)), toolMessage(toolResult(1)), user("More.")],
  ]);
  return [...sealed, ...DIFFICULT_TOOL_CALLS, ...DIFFICULT_TEXTS].map(([name, value]) => ({ name, value }));
}
