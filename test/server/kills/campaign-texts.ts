// The texts of a campaign: each one identifies its conversation, task, order or answer.

export const TOOLS = ["never", "safe"] as const;
export type ToolName = (typeof TOOLS)[number];

/** The question of a conversation's client. */
export const question = (conversation: string, turn: number): string => `Question ${turn} of ${conversation}?`;

/** The order for a task: tools to call, or none. */
export const order = (task: string, index: number, tools: readonly ToolName[]): string =>
  `Order ${index} of ${task}: ${tools.join(" ") || "nothing"}.`;

const ORDER = /Order (\d+) of ([\w-]+): ([a-z ]+)\./g;

/** Returns the tool calls of orders; a call's key names the task, the order, the tool and the answer. */
export function callsFor(text: string, attempt: number): { key: string; tool: ToolName }[] {
  return [...text.matchAll(ORDER)].flatMap(([, index = "", task = "", toolNames = ""]) =>
    TOOLS.flatMap((tool) =>
      toolNames
        .split(" ")
        .flatMap((toolName, at) => (toolName === tool ? [{ key: `${task}.${index}.${at}.${attempt}`, tool }] : [])),
    ),
  );
}

/** Returns the task of a call. */
export const taskOf = (key: string): string => key.split(".")[0] ?? "";

/** Returns the deltas of an answer; the attempt is part of the text. */
export function answerTexts(about: string, attempt: number, count: number): string[] {
  const texts = Array.from({ length: count }, (_, at) => `word ${at} `);
  return [`Answer ${attempt} to "${about}": `, ...texts, "done."];
}

const ANSWER = /^Answer (\d+) to /;

/** Returns the attempt of an answer; undefined for other texts. */
export function attemptOf(text: string): number | undefined {
  const [, attempt] = ANSWER.exec(text) ?? [];
  return attempt === undefined ? undefined : Number(attempt);
}

export const thoughtOf = (attempt: number): string => `Thought ${attempt}.`;
export const signatureOf = (attempt: number): string => Buffer.from(`signed ${attempt}`).toString("base64");
