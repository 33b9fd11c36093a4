// Tests of the checker: it accepts a story that succeeded despite kills, and names each violation. Each row changes a copy of
// the same story.
import { writeFileSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, test } from "vitest";
import { assemble, type Message, type Part, toolCall, type ToolResultPart, user } from "../../../src/index.ts";
import { freshFile } from "../../ledger/crash/campaign/databases.ts";
import { Report } from "./campaign.ts";
import { checkEnding, checkLife, type Ending, isMixed, type Life } from "./checker.ts";
import { type Effect, resultOf } from "./effect-log.ts";
import { Findings, type Invariant, INVARIANTS } from "./findings.ts";
import { type Death, live } from "./run-story.ts";
import { answer, callId, QUESTION, type Story, type ToolName } from "./scripted-story.ts";

const story: Story = {
  rounds: [
    ["local_safe", "local_never", "local_throws"],
    ["local_never", "nowhere"],
  ],
};
const KEYS = {
  repeated: callId(0, 0, "0"),
  interrupted: callId(0, 1, "0"),
  acknowledged: callId(0, 2, "0"),
  untouched: callId(1, 0, "1"),
  refused: callId(1, 1, "1"),
};

const execution = (key: string, tool: string, nonce: string): Effect[] =>
  (["begin", "end"] as const).map((phase) => ({ key, tool, nonce, phase }));
const result = (toolCallId: string, toolName: ToolName, output: string, isError = false): ToolResultPart => ({
  type: "tool-result",
  toolCallId,
  toolName,
  isError,
  output,
});

const EFFECTS = {
  first: execution(KEYS.repeated, "local_safe", "a1").slice(0, 1),
  thrown: execution(KEYS.acknowledged, "local_throws", "a2"),
  begun: execution(KEYS.interrupted, "local_never", "a3").slice(0, 1),
  again: execution(KEYS.repeated, "local_safe", "b1"),
  later: execution(KEYS.untouched, "local_never", "b2"),
};
const RESULTS = [
  result(KEYS.repeated, "local_safe", resultOf({ key: KEYS.repeated, nonce: "b1" })),
  result(KEYS.interrupted, "local_never", "The call was interrupted.", true),
  result(KEYS.acknowledged, "local_throws", resultOf({ key: KEYS.acknowledged, nonce: "a2" }), true),
  result(KEYS.untouched, "local_never", resultOf({ key: KEYS.untouched, nonce: "b2" })),
  result(KEYS.refused, "nowhere", "There is no such tool.", true),
];

interface Mutable<T> extends Omit<Life, "left"> {
  acknowledged: string[];
  faults: string[];
  left: { started: Set<string>; results: Map<string, ToolResultPart>; unfinished: string[]; effects: T[] };
}
interface MutableEnding extends Ending {
  lives: [Mutable<Effect>, Mutable<Effect>];
  transcript: Message[];
}

/** The agent was killed in the first round: one call has a result, two are open, one of which may be repeated. */
function correctEnding(): MutableEnding {
  const byKey = new Map(RESULTS.map((each) => [each.toolCallId, structuredClone(each)]));
  const transcript: Message[] = [user(QUESTION)];
  for (const attempt of ["0", "1", "1"]) {
    const { message } = assemble(answer(story, { model: "m", messages: transcript }, attempt));
    const results = message.parts.flatMap((part) =>
      part.type === "tool-call" ? (byKey.get(part.toolCallId) ?? []) : [],
    );
    transcript.push(message);
    if (results.length > 0) transcript.push({ role: "tool", parts: results });
  }
  const { first, thrown, begun, again, later } = EFFECTS;
  const early = Object.values(KEYS).slice(0, 3);
  return {
    name: "story",
    story,
    transcript,
    lives: [
      {
        acknowledged: [KEYS.acknowledged],
        faults: [],
        left: {
          started: new Set(early),
          results: new Map(RESULTS.slice(2, 3).map((each) => [each.toolCallId, each])),
          unfinished: ["run"],
          effects: [...first, ...thrown, ...begun],
        },
      },
      {
        acknowledged: Object.values(KEYS).filter((key) => key !== KEYS.acknowledged),
        faults: [],
        left: {
          started: new Set([...early, KEYS.untouched]),
          results: new Map(RESULTS.map((each) => [each.toolCallId, each])),
          unfinished: [],
          effects: [...first, ...thrown, ...begun, ...again, ...later],
        },
      },
    ],
  };
}

function violatedInvariants(ending: MutableEnding): Invariant[] {
  const findings = new Findings();
  for (const life of ending.lives) checkLife(life, "life", findings);
  checkEnding(ending, findings);
  return [...new Set(findings.violations.map(({ invariant }) => invariant))];
}

/** The result of a call in the thread. */
function resultIn({ transcript }: MutableEnding, key: string): ToolResultPart {
  const parts = transcript.flatMap((message): Part[] => message.parts);
  const found = parts.find((part) => part.type === "tool-result" && part.toolCallId === key);
  if (found?.type !== "tool-result") throw new Error(`There is no result of ${key}.`);
  return found;
}

test("a correct story has no violation", () => {
  expect(violatedInvariants(correctEnding())).toStrictEqual([]);
});

const TAMPERED: [sentence: string, invariant: Invariant, tamper: (ending: MutableEnding) => void][] = [
  [
    "a tool started without a record in the ledger",
    "started",
    ({ lives: [first] }) => first.left.started.delete(KEYS.repeated),
  ],
  [
    "a call ran again after its result was acknowledged",
    "once",
    ({ lives: [, last] }) => last.left.effects.push(...EFFECTS.thrown),
  ],
  [
    "an acknowledged result was replaced",
    "once",
    ({ lives: [, last] }) =>
      last.left.results.set(KEYS.acknowledged, { ...(RESULTS[2] as ToolResultPart), output: "other" }),
  ],
  ["an acknowledged result is missing", "once", ({ lives: [, last] }) => last.left.results.delete(KEYS.acknowledged)],
  [
    "a call that must not be repeated ran twice",
    "never",
    ({ lives: [, last] }) => last.left.effects.push(...EFFECTS.begun),
  ],
  [
    "an interrupted call is recorded as successful",
    "never",
    (ending) =>
      Object.assign(resultIn(ending, KEYS.interrupted), {
        isError: false,
        output: resultOf({ key: KEYS.interrupted, nonce: "a3" }),
      }),
  ],
  [
    "a call is recorded as interrupted that was not",
    "never",
    (ending) => Object.assign(resultIn(ending, KEYS.untouched), { isError: true, output: "The call was interrupted." }),
  ],
  [
    "a call ran more often than it was interrupted",
    "safe",
    ({ lives: [, last] }) => last.left.effects.push(...EFFECTS.first),
  ],
  [
    "a repeatable call was abandoned",
    "safe",
    (ending) => Object.assign(resultIn(ending, KEYS.repeated), { isError: true, output: "The call was interrupted." }),
  ],
  [
    "a call that was never open ran twice",
    "untouched",
    ({ lives: [, last] }) => last.left.effects.push(...EFFECTS.later),
  ],
  [
    "a call ran that cannot run",
    "refused",
    ({ lives: [, last] }) => {
      last.left.started.add(KEYS.refused);
      last.left.effects.push(...execution(KEYS.refused, "nowhere", "b3"));
    },
  ],
  ["a result has no execution", "true", (ending) => (resultIn(ending, KEYS.untouched).output = "It was done.")],
  ["a result belongs to an execution that did not end", "true", ({ lives: [, last] }) => last.left.effects.pop()],
  [
    "an error of a tool is recorded as a success",
    "true",
    (ending) => (resultIn(ending, KEYS.acknowledged).isError = false),
  ],
  [
    "an execution belongs to no call",
    "known",
    ({ lives: [, last] }) => {
      last.left.started.add("call_9_9_9");
      last.left.effects.push(...execution("call_9_9_9", "local_safe", "b4"));
    },
  ],
  [
    "a result that was reported as recorded is missing",
    "recorded",
    ({ lives: [first] }) => first.left.results.delete(KEYS.acknowledged),
  ],
  ["a message is missing", "whole", ({ transcript }) => transcript.splice(3, 2)],
  ["a message is repeated", "whole", ({ transcript }) => transcript.splice(1, 0, user(QUESTION))],
  ["the final answer is missing", "whole", ({ transcript }) => transcript.pop()],
  [
    "the final answer differs",
    "whole",
    ({ transcript }) => transcript.push({ ...(transcript.pop() as Message), parts: [] }),
  ],
  ["results are in another order", "whole", ({ transcript }) => transcript[2]?.parts.reverse()],
  ["a seal is lost", "whole", ({ transcript }) => delete transcript[1]?.parts[0]?.seals],
  ["a call has no result", "legal", ({ transcript }) => transcript[2]?.parts.pop()],
  [
    "a call is repeated",
    "legal",
    ({ transcript }) => transcript[1]?.parts.push(toolCall(KEYS.repeated, "local_safe", {})),
  ],
  ["a request had an invalid history", "legal", ({ lives: [, last] }) => last.faults.push("broken")],
  ["a run is unfinished", "settled", ({ lives: [, last] }) => last.left.unfinished.push("run")],
];

test.each(TAMPERED)("the checker detects: %s", (_sentence, invariant, tamper) => {
  const copy = correctEnding();
  tamper(copy);
  expect(violatedInvariants(copy)).toContain(invariant);
});

const STUCK: [sentence: string, program: string, death: Death, message: string][] = [
  ["fails", 'throw new Error("I cannot.");', { by: "completion" }, "I cannot."],
  ["hangs", "setInterval(() => {}, 1000);", { by: "completion" }, "did not end within 0.5 s"],
  [
    "hangs before it comes to its point",
    "setInterval(() => {}, 1000);",
    { by: "point", at: { point: "tools/tool begins", occurrence: 1 } },
    "did not end within 0.5 s",
  ],
  ["hangs before it is ready", "setInterval(() => {}, 1000);", { by: "time", ms: 1 }, "did not end within 0.5 s"],
];

test.each(STUCK)("the campaign detects that an agent %s", async (_sentence, program, death, message) => {
  const folder = mkdtempSync(join(tmpdir(), "koine-checker-"));
  try {
    const worker = join(folder, "worker.mjs");
    writeFileSync(worker, program);
    const report = new Report();
    const { findings } = report;
    const database = await freshFile(folder, "full");
    const site = {
      name: "none",
      programs: { worker, mcp: "" },
      database,
      record: join(folder, "r"),
      story: "local" as const,
      findings,
      maxParallel: 1,
      // A program that fails needs its time on a busy machine.
      patienceMs: message.includes("0.5 s") ? 500 : 60_000,
    };
    report.count([death], await live(site, () => death));
    expect(findings.violations.map(({ invariant }) => invariant)).toContain("completion");
    expect(findings.text).toContain(message);
    expect(report).toMatchObject({ stories: 1, kills: 0 });
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
});

test("a round is mixed if it has an open call that was started and one that was not", () => {
  const [{ left }] = correctEnding().lives;
  expect(isMixed(story, left)).toBe(false);
  left.started.delete(KEYS.interrupted);
  expect(isMixed(story, left)).toBe(true);
  // Calls that cannot run are never started.
  left.started = new Set([KEYS.untouched]);
  expect(isMixed(story, left)).toBe(false);
});

test("a campaign reports points and invariants that it did not reach", () => {
  const report = new Report();
  report.points.set("tools/tool begins", 0);
  const invariants = Object.keys(INVARIANTS) as Invariant[];
  for (const name of invariants.slice(1)) report.findings.expect(name, true, "here", () => "");
  expect(report.gaps).toStrictEqual([
    "No story reached tools/tool begins.",
    'No check of "started".',
    "No kill left a round of which only a part was started.",
  ]);
  report.findings.expect("started", true, "here", () => "");
  const at = { point: "tools/tool begins", occurrence: 1 };
  report.count([{ by: "point", at }], [{ ending: "point", points: [], isMixed: true }]);
  expect(report.gaps).toStrictEqual([]);
});
