// Finds the thread and branch of a history that a stateless client resends, the parent of its new messages, and the
// data that the client dropped. An edited message ends the match, so that message and the following ones become a new
// branch.
import type { Message } from "../../model/message.ts";
import { assertStorableMessages, requireName } from "../check-arguments.ts";
import { LedgerError } from "../errors.ts";
import type { LedgerScope } from "../scope.ts";
import { cacheLastMessage } from "../messages/last-written.ts";
import type { ThreadMatch, FindThreadOptions } from "../types.ts";
import { readTailWindow } from "./tail-window.ts";
import { extendMatch } from "./extend-match.ts";
import { listAssistantEnds, toHistory } from "./history-turns.ts";
import { hasOtherContent } from "./same-content.ts";
import { findMatch, type HistoryMatch } from "./match-history.ts";
import { restoreHistory } from "./restore-history.ts";
import { StoredHistory } from "./stored-turns.ts";

/**
 * Finds the thread of a history by its assistant messages; a history without an assistant message is always new. The
 * messages of the result after the first `known` ones are new, and the caller appends them under `parentMessageId`.
 */
export async function findThread(
  scope: LedgerScope,
  messages: readonly Message[],
  options: FindThreadOptions = {},
): Promise<ThreadMatch> {
  const checked = Array.isArray(messages) && messages.length === 0 ? [] : assertStorableMessages(messages);
  const { ownScope, isScopeRequired } = requireScopeOptions(options);
  const threadId = options.threadId === undefined ? undefined : requireName(options.threadId, "threadId");
  const history = toHistory(checked);
  const stored = new StoredHistory(scope, history);
  const accepts = (match: HistoryMatch): Promise<boolean> => stored.accepts(match);
  const answerMatch = await findMatch(scope, listAssistantEnds(history), {
    scope: ownScope,
    isScopeRequired,
    threadId,
    accepts,
  });
  if (answerMatch === undefined)
    return { threadId: null, parentMessageId: null, known: 0, messages: [...checked], restored: false };
  // Answers are restored only up to the matched answer. Later messages are the client's own, even if they are stored.
  const tail = await readTailWindow(scope.store.reads, answerMatch.header, checked.length);
  const [match, answers] = await Promise.all([
    extendMatch(scope, history, answerMatch, { accepts, after: tail.after }),
    stored.readAnswers(answerMatch, tail.from),
  ]);
  const { id: parentMessageId } = match.header;
  // The header is cached, because this message is the parent of the next append.
  cacheLastMessage(scope.store, match.header);
  const restoredMessages = restoreHistory(history, answers);
  const restored = hasOtherContent(restoredMessages, checked);
  return { threadId: match.header.threadId, parentMessageId, known: match.at, messages: restoredMessages, restored };
}

function requireScopeOptions({ scope, within = "tenant" }: FindThreadOptions): {
  ownScope: string | undefined;
  isScopeRequired: boolean;
} {
  const ownScope = scope === undefined ? undefined : requireName(scope, "scope");
  if (within !== "tenant" && within !== "scope") {
    throw new LedgerError("invalid-input", '"within" must be "tenant" or "scope".', { path: "within" });
  }
  const isScopeRequired = within === "scope";
  // A missing scope is rejected, because the search would include all threads of the tenant instead of one scope.
  if (isScopeRequired && ownScope === undefined) {
    throw new LedgerError("invalid-input", '"scope" is required if "within" is "scope".', { path: "scope" });
  }
  return { ownScope, isScopeRequired };
}
