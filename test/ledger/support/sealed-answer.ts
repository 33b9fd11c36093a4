// Answers with sealed reasoning, and their echoes by clients that send back only standard fields.
import { assistant, type Message, type Part, reasoning, text } from "../../../src/index.ts";

const seal = { dialect: "anthropic", kind: "signature", value: "EqQBCkYIBRgC" };

/** Creates an answer with sealed reasoning, as a provider returns it. */
export function createSealedAnswer(answer: string, ...calls: Part[]): Message {
  return assistant([reasoning(`Thinking of: ${answer}`, { seals: [seal] }), text(answer), ...calls]);
}

/** Returns the part of an answer that a client with standard fields echoes. */
export function toEcho({ parts }: Message): Message {
  return assistant(parts.filter(({ type }) => type === "text" || type === "tool-call").map((part) => ({ ...part })));
}
