// Creates conversations with similar elements, such as two calls, two seals, or ids that differ only in case. If an
// encoder exchanges such elements, only a comparison after decoding detects it.
import type { Message } from "../../model/message.ts";
import { assistant, developer, system, user } from "../../model/message.ts";
import type { Part, ToolCallPart, ToolResultPart } from "../../model/parts.ts";

function call(toolCallId: string, city: string): ToolCallPart {
  return { type: "tool-call", toolCallId, toolName: "weather", input: { city } };
}
function result(toolCallId: string, output?: string): ToolResultPart {
  const part: ToolResultPart = { type: "tool-result", toolCallId, toolName: "weather", isError: false };
  return output === undefined ? part : { ...part, output };
}
function weatherConversation(calls: readonly ToolCallPart[], results: readonly ToolResultPart[]): Message[] {
  return [user("How is the weather?"), assistant(calls), { role: "tool", parts: [...results] }, assistant("As said.")];
}

/** Returns reasoning with one seal of each issuer, so that most dialects can encode one of the seals. */
function sealedReasoning(text: string, issuers: readonly string[]): Part {
  const seals = issuers.map((dialect) => ({ dialect, kind: "signature", value: `Seal of ${dialect}: ${text}` }));
  return { type: "reasoning", text, seals };
}

const SENTENCE = "Ἐν ἀρχῇ ἦν ὁ λόγος 🏛️, 𐀀𝒳 and 👩‍👩‍👧; a\u0301 is not á.\r\n\t";
/** A text of more than 4 kB with white space at both ends and code points above 16 bits. */
const LONG_TEXT = ` \n${SENTENCE.repeat(100)}\n  `;

const LATER_INSTRUCTIONS: readonly Message[] = [
  system("The first rule."),
  user("A question."),
  assistant("An answer."),
  system("A later rule."),
  user("A second question."),
  developer("A developer's rule."),
  user("A third question."),
];

interface NamedConversation {
  name: string;
  messages: readonly Message[];
}

/** Returns named conversations. `dialect` is one of the issuers of their seals. */
export function roundTripConversations(dialect: string): NamedConversation[] {
  const issuers = [...new Set([dialect, "anthropic", "gemini"])];
  const two = [call("call_one", "Corinth"), call("call_two", "Thebes")];
  return [
    {
      name: "parallel calls",
      messages: weatherConversation(two, [result("call_one", "Sunny."), result("call_two", "Rain.")]),
    },
    {
      name: "results in another order than their calls",
      messages: weatherConversation(two, [result("call_two", "Rain."), result("call_one", "Sunny.")]),
    },
    {
      name: "an empty output and none",
      messages: weatherConversation(two, [result("call_one", ""), result("call_two")]),
    },
    {
      name: "ids that differ in case",
      messages: weatherConversation(
        [call("call_aB", "Corinth"), call("call_Ab", "Thebes")],
        [result("call_aB", "Sunny."), result("call_Ab", "Rain.")],
      ),
    },
    {
      name: "two seals",
      messages: [
        user("Think."),
        assistant([
          sealedReasoning("One thought.", issuers),
          sealedReasoning("Another.", issuers),
          { type: "text", text: "Thought." },
        ]),
        user("Again."),
      ],
    },
    { name: "later instructions", messages: LATER_INSTRUCTIONS },
    {
      name: "a long text",
      messages: [
        system(LONG_TEXT),
        user(LONG_TEXT),
        assistant([
          { type: "reasoning", text: LONG_TEXT },
          { type: "text", text: LONG_TEXT },
          call("call_long", LONG_TEXT),
        ]),
        { role: "tool", parts: [result("call_long", LONG_TEXT)] },
      ],
    },
  ];
}
