// First steps: a conversation in four dialects, the losses of each, and a stream that is assembled to a message.
// The example asserts its output.
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

// 1. A conversation, built with the constructors.
const call = toolCall("call_1", "weather", { city: "Corinth" });
const signature = { dialect: "anthropic", kind: "signature", value: "c2lnbmVk" };
const conversation: Message[] = [
  user("How is the weather in Corinth?"),
  assistant([reasoning("The user wants the weather.", { seals: [signature] }), call]),
  toolResult(call, { sky: "clear", celsius: 24 }),
  assistant([text("Clear, 24 °C.")]),
];
assert.deepEqual(validateMessages(conversation), []);
console.log(`A conversation of ${conversation.length} messages, valid.\n`);

// 2. The same conversation in four dialects, with the losses of each.
for (const id of ["flat", "tagged", "run", "canonical"]) {
  const { wire, losses } = dialect(id).encodeMessages(conversation);
  const back = dialect(id).decodeMessages(wire);
  assert.equal(back.length, conversation.length);
  console.log(`${id.padEnd(10)} ${JSON.stringify((wire as unknown[])[1]).slice(0, 96)} …`);
  for (const loss of losses.filter(({ level }) => level !== "note")) {
    console.log(`${" ".repeat(10)} ${loss.level}: ${loss.path} ${loss.action} (${loss.code})`);
  }
}

// 3. The signature is preserved if the dialect has a field for it.
const [, flat] = dialect("flat").decodeMessages(dialect("flat").encodeMessages(conversation).wire);
assert.deepEqual(flat?.parts[0]?.seals, [signature]);
console.log("\nThe thinking signature went through `flat` and came back.");

// 4. A stream of deltas is assembled to one message; every digit of the arguments is preserved.
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
const [textPart, lookup] = message.parts;
assert.ok(textPart?.type === "text" && textPart.text === "One moment.");
assert.ok(lookup?.type === "tool-call" && lookup.inputText === '{"order": 12345678901234567890}');
console.log(
  `A stream of ${deltas.length} deltas became a message of ${message.parts.length} parts; the order number kept all its digits:`,
);
console.log(`  ${lookup.inputText}`);
console.log("\nEverything above was asserted. `npm test` runs the rest.");
