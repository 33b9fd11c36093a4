// Recognises the history that a stateless client resends: which thread it is, where the new messages belong, and what
// the client dropped on the way. An edit ends the match before it, so that what follows becomes a branch.
import type { Message } from "../../model/message.ts";
import { assertStorableMessages, checkName } from "../check.ts";
import { LedgerError } from "../errors.ts";
import type { Scope } from "../scope.ts";
import { keepTail } from "../tails.ts";
import type { ThreadMatch, FindThreadOptions } from "../types.ts";
import { readAround } from "./around.ts";
import { extendMatch } from "./extend.ts";
import { assistantEnds, historyOf } from "./history.ts";
import { isOther } from "./likeness.ts";
import { findMatch, type Match } from "./match.ts";
import { restoreHistory } from "./restore.ts";
import { StoredHistory } from "./stored.ts";

/**
 * Finds a history by what the assistant said in it; one without an assistant's turn is always new. The last messages of
 * the result, as many as were given and not known, are the new ones: they are to be appended under `parentMessageId`.
 */
export async function recognise(
  scope: Scope,
  messages: readonly Message[],
  options: FindThreadOptions = {},
): Promise<ThreadMatch> {
  const given = Array.isArray(messages) && messages.length === 0 ? [] : assertStorableMessages(messages);
  const { own, ownOnly } = checkOptions(options);
  const threadId = options.threadId === undefined ? undefined : checkName(options.threadId, "threadId");
  const history = historyOf(given);
  const stored = new StoredHistory(scope, history);
  const accepts = (match: Match): Promise<boolean> => stored.accepts(match);
  const found = await findMatch(scope, assistantEnds(history), { own, ownOnly, threadId, accepts });
  if (found === undefined)
    return { threadId: null, parentMessageId: null, known: 0, messages: [...given], restored: false };
  // What is known beyond the answer is the client's own: nothing needs to be restored there.
  const around = await readAround(scope.store.reads, found.header, given.length);
  const [match, answers] = await Promise.all([
    extendMatch(scope, history, found, { accepts, after: around.after }),
    stored.answers(found, around.from),
  ]);
  const { id: parentMessageId } = match.header;
  // What follows goes under it.
  keepTail(scope.store, match.header);
  const whole = restoreHistory(history, answers);
  const restored = isOther(whole, given);
  return { threadId: match.header.threadId, parentMessageId, known: match.at, messages: whole, restored };
}

function checkOptions({ scope, within = "tenant" }: FindThreadOptions): { own: string | undefined; ownOnly: boolean } {
  const own = scope === undefined ? undefined : checkName(scope, "scope");
  if (within !== "tenant" && within !== "scope") {
    throw new LedgerError("invalid-input", '"within" must be "tenant" or "scope".', { path: "within" });
  }
  const ownOnly = within === "scope";
  // Without one, a caller that meant to be careful would be given everything.
  if (ownOnly && own === undefined) {
    throw new LedgerError("invalid-input", 'Name the scope to search within: "scope" is not given.', { path: "scope" });
  }
  return { own, ownOnly };
}
