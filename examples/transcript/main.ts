// A stored conversation: an answer is streamed into the ledger, a second answer supersedes it, a reader continues from
// a cursor, and a client resends only the texts of the conversation. The example removes its files.
import assert from "node:assert/strict";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Delta } from "koine";
import { assistant, system, getText, user } from "koine";
import { openLedger } from "koine/ledger";

const folder = mkdtempSync(join(tmpdir(), "koine-example-"));
const ledger = await openLedger(`sqlite:${join(folder, "koine.db")}`);

/** Yields the deltas of an answer: reasoning with its signature, then text. */
function* streamAnswer(text: string): Generator<Delta> {
  yield { kind: "start", payload: { modelId: "oracle-1", requestId: "req_1" } };
  yield { kind: "thinking", payload: { textDelta: "They ask about the sky." } };
  yield { kind: "seal", payload: { seal: { dialect: "anthropic", kind: "signature", value: "c2lnbmVk" } } };
  for (const word of text.split(/(?<= )/)) yield { kind: "text", payload: { textDelta: word } };
  yield { kind: "done", payload: { finishReason: "stop" } };
}

// A question and its answer. `push` does not wait for the disk; `commit` waits for all earlier pushes.
const thread = await ledger.createThread({ title: "Weather" });
const [question] = await ledger.append(thread.id, [user("How is the weather in Corinth?")]);
assert(question);
const first = await ledger.beginRun({ threadId: thread.id });
for (const delta of streamAnswer("Clear and warm.")) first.push([delta]);
await first.commit();

// A second answer supersedes the first answer, which is removed from the transcript but not from the tree.
const second = await ledger.beginRun({ threadId: thread.id, forkFromMessageId: question.id });
for (const delta of streamAnswer("Twenty-four degrees, no clouds.")) second.push([delta]);
const { messages, supersededRunIds } = await second.commit();
assert.deepEqual(supersededRunIds, [first.id]);
assert.equal((await ledger.run(first.id)).state, "superseded");
assert.equal((await ledger.tree(thread.id)).messages.length, 3);

const transcript = await ledger.transcript(thread.id);
for (const message of transcript) console.log(`${message.role}: ${getText(message)}`);
assert.deepEqual(
  transcript.map(({ id }) => id),
  [question.id, messages[0]?.id],
);

// A reader that stops after five events continues from its cursor and gets each event once.
const eventTypes: string[] = [];
let cursor: string | undefined;
for (const limit of [5, Infinity]) {
  for await (const event of ledger.follow({
    threadId: thread.id,
    runId: second.id,
    ...(cursor && { after: cursor }),
  })) {
    cursor = event.cursor;
    eventTypes.push(event.type);
    if (eventTypes.length === limit) break;
  }
}
console.log(`followed: ${eventTypes.join(" ")}`);
assert.equal(new Set(eventTypes).size, 3);

// A client that stores only texts sends its history again. The ledger finds the thread and restores the signature that
// the client dropped.
const resent = [
  system("Be brief."),
  user("How is the weather in Corinth?"),
  assistant("Twenty-four degrees, no clouds."),
  user("And tomorrow?"),
];
const match = await ledger.findThread(resent);
assert.equal(match.threadId, thread.id);
assert.equal(match.known, 3);
assert(match.messages.some(({ parts }) => parts.some(({ seals }) => seals?.[0]?.value === "c2lnbmVk")));
await ledger.append(thread.id, resent.slice(match.known), { parentMessageId: match.parentMessageId });

const hits = await ledger.search("clouds");
console.log(`search for "clouds": ${hits.map(({ snippet }) => snippet).join(" … ")}`);
assert.equal(hits.length, 1);

await ledger.close();
rmSync(folder, { recursive: true });
