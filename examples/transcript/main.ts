// A conversation that lasts: a question, an answer that is streamed into the ledger, another answer in its place, a
// reader that comes back, and a client that forgets everything but its messages. Run it twice: nothing is left behind.
import assert from "node:assert/strict";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Delta } from "koine";
import { assistant, system, getText, user } from "koine";
import { openLedger } from "koine/ledger";

const folder = mkdtempSync(join(tmpdir(), "koine-example-"));
const ledger = await openLedger(`sqlite:${join(folder, "koine.db")}`);

/** An answer as a provider streams it: reasoning with its signature, then text. */
function* answer(text: string): Generator<Delta> {
  yield { kind: "start", payload: { modelId: "oracle-1", requestId: "req_1" } };
  yield { kind: "thinking", payload: { textDelta: "They ask about the sky." } };
  yield { kind: "seal", payload: { seal: { dialect: "anthropic", kind: "signature", value: "c2lnbmVk" } } };
  for (const word of text.split(/(?<= )/)) yield { kind: "text", payload: { textDelta: word } };
  yield { kind: "done", payload: { finishReason: "stop" } };
}

// A question, and its answer. `push` does not wait for the disk, `commit` does for everything before it.
const thread = await ledger.createThread({ title: "Weather" });
const [question] = await ledger.append(thread.id, [user("How is the weather in Corinth?")]);
assert(question);
const first = await ledger.beginRun({ threadId: thread.id });
for (const delta of answer("Clear and warm.")) first.push([delta]);
await first.commit();

// Another answer takes its place. The first one is out of the transcript, but not gone.
const second = await ledger.beginRun({ threadId: thread.id, forkFromMessageId: question.id });
for (const delta of answer("Twenty-four degrees, no clouds.")) second.push([delta]);
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

// A reader that was cut off after five events goes on where it was: each event once.
const seen: string[] = [];
let cursor: string | undefined;
for (const most of [5, Infinity]) {
  for await (const event of ledger.follow({
    threadId: thread.id,
    runId: second.id,
    ...(cursor && { after: cursor }),
  })) {
    cursor = event.cursor;
    seen.push(event.type);
    if (seen.length === most) break;
  }
}
console.log(`followed: ${seen.join(" ")}`);
assert.equal(new Set(seen).size, 3);

// A client that keeps nothing but texts sends its history again. The conversation is recognised, and the signature that
// the client dropped is back for the next call.
const resent = [
  system("Be brief."),
  user("How is the weather in Corinth?"),
  assistant("Twenty-four degrees, no clouds."),
  user("And tomorrow?"),
];
const found = await ledger.findThread(resent);
assert.equal(found.threadId, thread.id);
assert.equal(found.known, 3);
assert(found.messages.some(({ parts }) => parts.some(({ seals }) => seals?.[0]?.value === "c2lnbmVk")));
await ledger.append(thread.id, resent.slice(found.known), { parentMessageId: found.parentMessageId });

const hits = await ledger.search("clouds");
console.log(`found "clouds": ${hits.map(({ snippet }) => snippet).join(" … ")}`);
assert.equal(hits.length, 1);

await ledger.close();
rmSync(folder, { recursive: true });
