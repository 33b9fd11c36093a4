// What a process of a campaign is told, and what it says on its pipe.
import type { Target } from "../../ledger/crash/campaign/target.ts";
import type { StoryName } from "./scripted-story.ts";

export interface KillPoint {
  /** "phase/point", as the survey names it. */
  point: string;
  occurrence: number;
}

export interface WorkerPlan {
  target: Target;
  story: StoryName;
  threadId: string;
  /** The file of effects. */
  record: string;
  /** Which life of the agent; 0 is the first. */
  life: number;
  /** Calls that run at the same time; with few of them, a kill finds rounds of which only a part was started. */
  maxParallel: number;
  /** The MCP servers, where the story has them. */
  servers?: { program: string; url: string };
  kill?: KillPoint;
}

export type Line =
  | { at: "ready" }
  /** The agent said that the result of a call is recorded. */
  | { at: "acknowledged"; toolCallId: string }
  /** Something that must not be. */
  | { at: "fault"; what: string }
  /** It ends itself here. */
  | { at: "kill"; point: string }
  /** It came to the end of its story, past these points. */
  | { at: "end"; reason: string; text: string; points: string[] };
