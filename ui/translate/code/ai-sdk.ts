// A request as code for the AI SDK, whose settings and tools have names of their own.
import type { Request, Sampling, Tool, ToolChoice } from "koine";
import { dialect } from "koine";
import type { CodeWish } from "../types.ts";
import { keyLiteral } from "./key.ts";
import { literalOf } from "./literal.ts";

/** What the SDK calls the settings. The others have no name there. */
const SETTINGS = {
  maxOutputTokens: "maxOutputTokens",
  temperature: "temperature",
  topP: "topP",
  topK: "topK",
  presencePenalty: "presencePenalty",
  frequencyPenalty: "frequencyPenalty",
  stop: "stopSequences",
  seed: "seed",
} as const satisfies Partial<Record<keyof Sampling, string>>;

export function aiSdkCode(request: Request, wish: CodeWish): string {
  const tools = (request.tools ?? []).flatMap(toolLines);
  const choice = choiceOf(request.toolChoice);
  const isTooled = tools.length > 0;
  const fields = [
    `model: koine.chat(${JSON.stringify(wish.model)}),`,
    ...(request.messages.some(({ role }) => role === "system" || role === "developer")
      ? ["allowSystemInMessages: true,"]
      : []),
    `messages: ${literalOf(dialect("ai-sdk-model").encodeMessages(request.messages).wire, "  ")},`,
    ...(isTooled ? [`tools: {\n${tools.join("\n")}\n  },`] : []),
    ...(isTooled && choice !== undefined ? [`toolChoice: ${literalOf(choice)},`] : []),
    ...settingLines(request.sampling ?? {}),
  ];
  return `import { createOpenAI } from "@ai-sdk/openai";
import { generateText${isTooled ? ", jsonSchema, tool" : ""} } from "ai";

const koine = createOpenAI({ baseURL: ${JSON.stringify(`${wish.origin}/v1`)}, apiKey: ${keyLiteral(wish)} });
const answer = await generateText({
${fields.map((field) => `  ${field}`).join("\n")}
});
console.log(answer.text || answer.toolCalls);
`;
}

/** The SDK knows tools that the caller describes; those of a provider are its own packages' to make. */
function toolLines(tool: Tool): string[] {
  if (tool.type !== "function" || tool.format === "text") return [];
  const { name, description, inputSchema = { type: "object" } } = tool;
  const told = description === undefined ? "" : `\n      description: ${JSON.stringify(description)},`;
  const schema = literalOf(inputSchema, "      ");
  return [`    ${literalOf(name)}: tool({${told}\n      inputSchema: jsonSchema(${schema}),\n    }),`];
}

function choiceOf(choice: ToolChoice | undefined): unknown {
  if (typeof choice !== "object") return choice;
  return "toolName" in choice ? { type: "tool", toolName: choice.toolName } : choice.mode;
}

function settingLines(sampling: Sampling): string[] {
  return Object.entries(SETTINGS).flatMap(([field, name]) => {
    // The keys of the table are fields of it.
    const value = sampling[field as keyof typeof SETTINGS];
    return value === undefined ? [] : [`${name}: ${literalOf(value)},`];
  });
}
