// Faults of message dialects: each row breaks a correct dialect in one way that the suite must detect.
import type { Dialect, Encoded, Message, Part } from "../../src/index.ts";
import { DialectError } from "../../src/index.ts";

/** Returns replacements for some methods of a correct dialect. */
type Fault = (good: Dialect) => Partial<Pick<Dialect, "decodeMessages" | "encodeMessages">>;

function encodes(change: (messages: readonly Message[]) => readonly Message[]): Fault {
  return (good) => ({ encodeMessages: (messages) => good.encodeMessages(change(messages)) });
}
function encodesParts(change: (parts: Part[], message: Message) => Part[]): Fault {
  return encodes((messages) => messages.map((message) => ({ ...message, parts: change(message.parts, message) })));
}
function encodesPart(change: (part: Part) => Part): Fault {
  return encodesParts((parts) => parts.map(change));
}

function writes(change: (encoded: Encoded) => Encoded): Fault {
  return (good) => ({ encodeMessages: (messages) => change(good.encodeMessages(messages)) });
}
function decodes(change: (messages: Message[], wire: unknown) => Message[]): Fault {
  return (good) => ({ decodeMessages: (wire) => change(good.decodeMessages(wire), wire) });
}
function throws(change: (error: DialectError) => unknown): Fault {
  return (good) => ({
    decodeMessages: (wire) => {
      try {
        return good.decodeMessages(wire);
      } catch (error) {
        throw error instanceof DialectError ? change(error) : error;
      }
    },
  });
}

function joinTexts({ parts }: Message): string {
  return parts.map((part) => (part.type === "text" ? part.text : "")).join(" ");
}
export function without<T extends object>(value: T, field: string): T {
  const { [field as keyof T]: _, ...rest } = value;
  return rest as T;
}
function withoutOwnResidue(extra: Message["extra"]): Message["extra"] {
  return without(extra ?? {}, "plain");
}
function encodesTexts(change: (text: string) => string): Fault {
  return encodesPart((part) => (part.type === "text" ? { ...part, text: change(part.text) } : part));
}
/** Exchanges a field between neighboring parts that have it. */
function swapsField(field: "seals" | "toolCallId", isMeant: (part: Part) => boolean): Fault {
  return encodesParts((parts) => {
    const meant = parts.filter(isMeant);
    return parts.map((part) => {
      const other = meant[meant.indexOf(part) ^ 1];
      return other && meant.includes(part)
        ? { ...part, [field]: (other as Record<typeof field, unknown>)[field] }
        : part;
    });
  });
}
const SAME = /decode to equal messages/;
const createLoss = (path: string, code = "residue-not-portable"): Encoded["losses"][number] => ({
  path,
  code,
  action: "dropped",
  level: "loss",
  message: "It was so before.",
});
const createDecodeError = (path: string): DialectError =>
  new DialectError("plain", path, "wrong-type", "Not known here.");
let calls = 0;

/** The fault as a phrase, a pattern of the title of the case that must fail, and the fault itself. */
export const FAULTS: readonly [sentence: string, noticed: RegExp, fault: Fault][] = [
  ["drops all seals", /lost silently/, encodesPart((part) => without(part, "seals"))],
  [
    "drops the seals of texts",
    /lost silently/,
    encodesPart((part) => (part.type === "text" ? without(part, "seals") : part)),
  ],
  [
    "drops the model of seals",
    /lost silently/,
    encodesPart((part) => ({
      ...part,
      ...(part.seals && { seals: part.seals.map((seal) => without(seal, "model")) }),
    })),
  ],
  ["drops a name", /lost silently/, encodes((messages) => messages.map((message) => without(message, "name")))],
  [
    "drops a flag",
    /lost silently/,
    encodesPart((part) => (part.type === "tool-result" ? { ...part, isError: false } : part)),
  ],
  [
    "drops the user's own `type` in a tool's input",
    /lost silently/,
    encodesPart((part) => (part.type === "tool-call" ? { ...part, input: without(Object(part.input), "type") } : part)),
  ],
  [
    "writes a result's call id only if it differs from the first call",
    /lost silently/,
    encodesPart((part) => (part.type === "tool-result" ? { ...part, toolCallId: "call_a" } : part)),
  ],
  [
    "drops a repeated text",
    /repeated text/,
    encodes((messages) => {
      const texts = new Set<string>();
      const isNew = (part: Part): boolean => part.type !== "text" || texts.size < texts.add(part.text).size;
      return messages.map((message) => ({ ...message, parts: message.parts.filter(isNew) }));
    }),
  ],
  ["reverses parts", /order of texts/, encodesParts((parts) => parts.toReversed())],
  [
    "moves calls to the end",
    /order of texts/,
    encodesParts((parts) => [
      ...parts.filter(({ type }) => type !== "tool-call"),
      ...parts.filter(({ type }) => type === "tool-call"),
    ]),
  ],
  ["drops an empty message", /no part is dropped/, encodes((messages) => messages.filter(({ parts }) => parts.length))],
  [
    "drops an empty text",
    /no part is dropped/,
    encodesParts((parts) => parts.filter((part) => part.type !== "text" || part.text !== "")),
  ],
  [
    "decodes every role as user",
    /role and part type/,
    encodes((all) => all.map((each) => ({ ...each, role: "user" }))),
  ],
  [
    "writes reasoning as text",
    /role and part type/,
    encodesPart((part) => (part.type === "reasoning" ? without({ ...part, type: "text" }, "summary") : part)),
  ],
  [
    "loses digits",
    /equal JSON/,
    writes((encoded) => ({ ...encoded, wire: JSON.parse(JSON.stringify(encoded.wire)) as unknown })),
  ],
  ["drops the exact text of an input", /lost silently/, encodesPart((part) => without(part, "inputText"))],
  [
    "does not report a loss",
    /lost silently/,
    writes(({ wire, losses }) => ({ wire, losses: losses.filter(({ code }) => code !== "residue-not-portable") })),
  ],
  [
    "does not report one of many losses",
    /lost silently/,
    writes(({ wire, losses }) => ({ wire, losses: losses.filter(({ path }) => !path.endsWith("/parts/0/cache")) })),
  ],
  [
    "reports an undeclared loss",
    /declared codes/,
    writes(({ wire, losses }) => ({ wire, losses: [...losses, createLoss("", "new")] })),
  ],
  [
    "reports a loss with a missing path",
    /existing paths/,
    writes(({ wire, losses }) => ({ wire, losses: [...losses, createLoss("/9/nowhere")] })),
  ],
  [
    "mutates its input",
    /does not modify the messages/,
    encodes((messages) => {
      for (const message of messages) message.parts.reverse();
      return messages;
    }),
  ],
  [
    "mutates the wire",
    /equal JSON/,
    decodes((messages, wire) => {
      for (const each of Array.isArray(wire) ? wire : []) Object.assign(each as object, { seen: true });
      return messages;
    }),
  ],
  ["writes different bytes each time", /same bytes/, writes(({ wire, losses }) => ({ wire: [wire, calls++], losses }))],
  [
    "writes the number of messages on each message",
    /nothing before it/,
    encodes((all) => all.map((each) => ({ ...each, extra: { ...each.extra, plain: { of: all.length } } }))),
  ],
  [
    "drops the seals of edited messages",
    /edited text changes nothing else/,
    (good) => ({
      decodeMessages: (wire) =>
        good.decodeMessages(wire).map((message) => ({ ...message, metadata: { texts: joinTexts(message) } })),
      encodeMessages: (messages) =>
        good.encodeMessages(
          messages.map((message) => {
            const isEdited = message.metadata?.["texts"] !== joinTexts(message);
            const parts = isEdited ? message.parts.map((part) => without(part, "seals")) : message.parts;
            return { ...without(message, "metadata"), parts };
          }),
        ),
    }),
  ],
  [
    "throws on unknown fields",
    /new field at any position/,
    decodes((messages) => {
      const at = messages.findIndex(({ extra }) => extra?.["plain"] !== undefined);
      if (at >= 0) throw createDecodeError(`/${at}`);
      return messages;
    }),
  ],
  [
    "drops unknown fields",
    /new field at any position/,
    decodes((messages) => messages.map((message) => ({ ...message, extra: withoutOwnResidue(message.extra) ?? {} }))),
  ],
  [
    "drops unknown fields and always reports a note",
    /missing or invalid/,
    (good) => ({
      decodeMessages: (wire) =>
        good.decodeMessages(wire).map((message) => ({ ...message, extra: withoutOwnResidue(message.extra) ?? {} })),
      encodeMessages: (messages) => {
        const { wire, losses } = good.encodeMessages(messages);
        return { wire, losses: [...losses, { ...createLoss("/0/role"), level: "note" }] };
      },
    }),
  ],
  [
    "crashes on invalid values",
    /missing or invalid/,
    throws(() => new TypeError("Cannot read properties of undefined")),
  ],
  [
    "throws errors with the name of another dialect",
    /missing or invalid/,
    throws(({ path }) => new DialectError("other", path, "wrong-type", "No.")),
  ],
  ["throws errors without a path", /missing or invalid/, throws(() => createDecodeError(""))],
  ["throws errors with a wrong path", /missing or invalid/, throws(() => createDecodeError("/7/elsewhere"))],
  [
    "throws errors with an unknown code",
    /missing or invalid/,
    throws(({ path }) => new DialectError("plain", path, "not-supported", "No.")),
  ],
  ["rejects invalid values without a path", /rejected with a path/, throws(() => createDecodeError(""))],
  [
    "decodes invalid values to nothing",
    /rejected with a path/,
    (good) => ({ decodeMessages: (wire) => (Array.isArray(wire) ? good.decodeMessages(wire) : []) }),
  ],
  [
    "decodes to an invalid shape",
    /model.s shape/,
    decodes((messages) => messages.map((message) => ({ ...message, name: null as unknown as string }))),
  ],
  [
    "decodes to values that JSON cannot store",
    /stored copy/,
    (good) => {
      const wires = new WeakMap<object, unknown>();
      return {
        decodeMessages: (wire) => {
          const messages = good.decodeMessages(wire).map((message) => without(message, "extra"));
          messages.forEach((message, index) => wires.set(message, (wire as unknown[])[index]));
          return messages;
        },
        encodeMessages: (messages) => {
          const { wire, losses } = good.encodeMessages(messages);
          return { wire: (wire as unknown[]).map((each, index) => wires.get(messages[index] ?? {}) ?? each), losses };
        },
      };
    },
  ],
  ["swaps the ids of results", SAME, swapsField("toolCallId", ({ type }) => type === "tool-result")],
  ["swaps seals", SAME, swapsField("seals", ({ seals }) => seals !== undefined)],
  [
    "writes `developer` as `system`",
    SAME,
    encodes((all) => all.map((each) => (each.role === "developer" ? { ...each, role: "system" } : each))),
  ],
  [
    "moves system messages to the front",
    SAME,
    encodes((all) => [...all.filter(({ role }) => role === "system"), ...all.filter(({ role }) => role !== "system")]),
  ],
  ["cuts texts", SAME, encodesTexts((text) => text.slice(0, 200))],
  ["truncates texts at 4 kB", SAME, encodesTexts((text) => text.slice(0, 4096))],
  ["trims texts", SAME, encodesTexts((text) => text.trim())],
  ["trims the end of texts", SAME, encodesTexts((text) => text.trimEnd())],
  ["normalizes texts", SAME, encodesTexts((text) => text.normalize())],
  [
    "replaces characters beyond 16 bits",
    SAME,
    encodesTexts((text) => text.replaceAll(/[\u{10000}-\u{10ffff}]/gu, "?")),
  ],
  [
    "drops an empty output",
    SAME,
    encodesPart((part) => (part.type === "tool-result" && part.output === "" ? without(part, "output") : part)),
  ],
  [
    "writes a missing output as an empty one",
    SAME,
    encodesPart((part) => (part.type === "tool-result" ? { ...part, output: part.output ?? "" } : part)),
  ],
  [
    "writes call ids in lower case",
    SAME,
    encodesPart((part) =>
      part.type === "tool-call" || part.type === "tool-result"
        ? { ...part, toolCallId: part.toolCallId.toLowerCase() }
        : part,
    ),
  ],
  [
    "decodes a message twice",
    SAME,
    decodes((messages) => (messages.length > 1 ? [...messages, ...messages.slice(-1)] : messages)),
  ],
];
