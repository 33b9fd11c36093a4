// Rows of invalid calls for `ledger.record`.
import { user } from "../../../src/model/index.ts";

/** A description, the call, and the path of the error. */
export const INVALID_CALLS: readonly [what: string, call: object, path: string][] = [
  ["no messages", { threadId: "t" }, "/messages"],
  ["an invalid message", { threadId: "t", messages: [{ role: "user" }] }, "/messages/0"],
  ["no thread", { messages: [] }, "threadId"],
  ["two threads", { threadId: "t", thread: { id: "u" }, messages: [] }, "thread/id"],
  ["a thread with a bad title", { thread: { title: 1 }, messages: [] }, "thread/title"],
  ["input without messages", { threadId: "t", input: { messages: [] }, messages: [] }, "/input/messages"],
  [
    "input and a fork point",
    { threadId: "t", input: { messages: [user("a")] }, forkFromMessageId: null, messages: [] },
    "forkFromMessageId",
  ],
  ["an unknown state", { threadId: "t", messages: [], state: "created" }, "state"],
  ["an error of a committed call", { threadId: "t", messages: [], state: "committed", error: "no" }, "state"],
  ["an empty alias", { threadId: "t", messages: [], alias: "" }, "alias"],
  ["metadata without a JSON form", { threadId: "t", messages: [], metadata: { at: 1n } }, "/metadata/at"],
];
