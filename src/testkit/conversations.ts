// Conversations in which a small fault shows only when they are read again: what stands twice, and differs in little.
import type { Message } from "../model/message.ts";
import { assistant, developer, system, user } from "../model/message.ts";
import type { Part, ToolCallPart, ToolResultPart } from "../model/parts.ts";

function call(toolCallId: string, city: string): ToolCallPart {
  return { type: "tool-call", toolCallId, toolName: "weather", input: { city } };
}
function result(toolCallId: string, output?: string): ToolResultPart {
  const part: ToolResultPart = { type: "tool-result", toolCallId, toolName: "weather", isError: false };
  return output === undefined ? part : { ...part, output };
}
function asked(calls: readonly ToolCallPart[], results: readonly ToolResultPart[]): Message[] {
  return [user("How is the weather?"), assistant(calls), { role: "tool", parts: [...results] }, assistant("As said.")];
}

/** Reasoning with a seal of each that may have issued one, so that most dialects carry one of them. */
function sealed(text: string, issuers: readonly string[]): Part {
  const seals = issuers.map((dialect) => ({ dialect, kind: "signature", value: `Seal of ${dialect}: ${text}` }));
  return { type: "reasoning", text, seals };
}

const SENTENCE = "Ἐν ἀρχῇ ἦν ὁ λόγος 🏛️, 𐀀𝒳 and 👩‍👩‍👧; a\u0301 is not á.\r\n\t";
/** More than 4 kB, white space at both ends, characters beyond 16 bits. */
const LONG = ` \n${SENTENCE.repeat(100)}\n  `;

interface Conversation {
  name: string;
  messages: readonly Message[];
}

/** Conversations beside the gallery; the dialect's own id is among the issuers of seals. */
export function conversations(dialect: string): Conversation[] {
  const issuers = [...new Set([dialect, "anthropic", "gemini"])];
  const two = [call("call_one", "Corinth"), call("call_two", "Thebes")];
  return [
    { name: "parallel calls", messages: asked(two, [result("call_one", "Sunny."), result("call_two", "Rain.")]) },
    {
      name: "results in another order than their calls",
      messages: asked(two, [result("call_two", "Rain."), result("call_one", "Sunny.")]),
    },
    { name: "an empty output and none", messages: asked(two, [result("call_one", ""), result("call_two")]) },
    {
      name: "ids that differ in case",
      messages: asked(
        [call("call_aB", "Corinth"), call("call_Ab", "Thebes")],
        [result("call_aB", "Sunny."), result("call_Ab", "Rain.")],
      ),
    },
    {
      name: "two seals",
      messages: [
        user("Think."),
        assistant([sealed("One thought.", issuers), sealed("Another.", issuers), { type: "text", text: "Thought." }]),
        user("Again."),
      ],
    },
    {
      name: "later instructions",
      messages: [
        system("The first rule."),
        user("A question."),
        assistant("An answer."),
        system("A later rule."),
        user("A second question."),
        developer("A developer's rule."),
        user("A third question."),
      ],
    },
    {
      name: "a long text",
      messages: [
        system(LONG),
        user(LONG),
        assistant([{ type: "reasoning", text: LONG }, { type: "text", text: LONG }, call("call_long", LONG)]),
        { role: "tool", parts: [result("call_long", LONG)] },
      ],
    },
  ];
}
