// What is said in a campaign, so that everybody can tell from the words alone what they are about.

export const TOOLS = ["never", "safe"] as const;
export type ToolName = (typeof TOOLS)[number];

/** What a conversation's client asks. */
export const question = (conversation: string, turn: number): string => `Question ${turn} of ${conversation}?`;

/** What a task is told: tools to call, none for words alone. */
export const order = (task: string, index: number, tools: readonly ToolName[]): string =>
  `Order ${index} of ${task}: ${tools.join(" ") || "nothing"}.`;

const ORDER = /Order (\d+) of ([\w-]+): ([a-z ]+)\./g;

/** The calls that orders ask for; a call's key tells the task, the order, which of its tools, and the answer that made it. */
export function callsFor(text: string, attempt: number): { key: string; tool: ToolName }[] {
  return [...text.matchAll(ORDER)].flatMap(([, index = "", task = "", wanted = ""]) =>
    TOOLS.flatMap((tool) =>
      wanted
        .split(" ")
        .flatMap((word, at) => (word === tool ? [{ key: `${task}.${index}.${at}.${attempt}`, tool }] : [])),
    ),
  );
}

/** The task that a call is of. */
export const taskOf = (key: string): string => key.split(".")[0] ?? "";

/** The pieces of an answer. The attempt, different for each, is part of it. */
export function answerPieces(about: string, attempt: number, pieces: number): string[] {
  const words = Array.from({ length: pieces }, (_, at) => `word ${at} `);
  return [`Answer ${attempt} to "${about}": `, ...words, "done."];
}

const ANSWER = /^Answer (\d+) to /;

/** Which answer a text is; undefined where it is none of the model's. */
export function attemptOf(text: string): number | undefined {
  const [, attempt] = ANSWER.exec(text) ?? [];
  return attempt === undefined ? undefined : Number(attempt);
}

export const thoughtOf = (attempt: number): string => `Thought ${attempt}.`;
export const signatureOf = (attempt: number): string => Buffer.from(`signed ${attempt}`).toString("base64");
