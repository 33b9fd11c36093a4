// First steps: a conversation in four shapes, a stream that assembles, and a report of what a shape cannot say.
// It asserts what it shows.
import assert from "node:assert/strict";
import {
  assemble,
  assistant,
  dialect,
  reasoning,
  stampDeltas,
  text,
  toolCall,
  toolResult,
  user,
  validateMessages,
} from "koine";
import type { Delta, Message } from "koine";

const say = (line: string): void => console.log(line);

// 1. A conversation, made by hand.
const call = toolCall("call_1", "weather", { city: "Corinth" });
const signature = { dialect: "anthropic", kind: "signature", value: "c2lnbmVk" };
const conversation: Message[] = [
  user("How is the weather in Corinth?"),
  assistant([reasoning("The user wants the weather.", { seals: [signature] }), call]),
  toolResult(call, { sky: "clear", celsius: 24 }),
  assistant([text("Clear, 24 °C.")]),
];
assert.deepEqual(validateMessages(conversation), []);
say(`A conversation of ${conversation.length} messages, valid.\n`);

// 2. The same conversation in every shape that carries messages, and what each cannot say.
for (const id of ["flat", "tagged", "run", "canonical"]) {
  const { wire, losses } = dialect(id).encodeMessages(conversation);
  const back = dialect(id).decodeMessages(wire);
  assert.equal(back.length, conversation.length);
  say(`${id.padEnd(10)} ${JSON.stringify((wire as unknown[])[1]).slice(0, 96)} …`);
  for (const loss of losses.filter(({ level }) => level !== "note")) {
    say(`${" ".repeat(10)} ${loss.level}: ${loss.path} ${loss.action} (${loss.code})`);
  }
}

// 3. The signature survives where the shape has a place for it.
const [, flat] = dialect("flat").decodeMessages(dialect("flat").encodeMessages(conversation).wire);
assert.deepEqual(flat?.parts[0]?.seals, [signature]);
say("\nThe thinking signature went through `flat` and came back.");

// 4. A stream: deltas in, one message out, every digit of the arguments kept.
const deltas: Delta[] = [
  { kind: "start", payload: { modelId: "demo", requestId: "req_1" } },
  { kind: "text", payload: { textDelta: "One " } },
  { kind: "text", payload: { textDelta: "moment." } },
  { kind: "tool_call_start", payload: { toolCallId: "call_2", toolName: "lookup" } },
  { kind: "tool_call_args", payload: { toolCallId: "call_2", argsTextDelta: '{"order": 1234567890' } },
  { kind: "tool_call_args", payload: { toolCallId: "call_2", argsTextDelta: "1234567890}" } },
  { kind: "tool_call_end", payload: { toolCallId: "call_2" } },
  { kind: "done", payload: { finishReason: "tool-calls" } },
];
const { message } = assemble(deltas.map(stampDeltas("run_1", Date.now)));
const [spoken, lookup] = message.parts;
assert.ok(spoken?.type === "text" && spoken.text === "One moment.");
assert.ok(lookup?.type === "tool-call" && lookup.inputText === '{"order": 12345678901234567890}');
say(
  `A stream of ${deltas.length} deltas became a message of ${message.parts.length} parts; the order number kept all its digits:`,
);
say(`  ${lookup.inputText}`);
say("\nEverything above was asserted. `npm test` runs the rest.");
