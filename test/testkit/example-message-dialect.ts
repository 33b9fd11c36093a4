// A small correct dialect for messages, with which the message suite is tested: four kinds of blocks with all their
// fields and seals. Malformed blocks become opaque parts.
import { isObject, ROLES, validate } from "../../src/index.ts";
import {
  copyField,
  defineDialect,
  NOT_PORTABLE_LOSSES,
  readForm,
  storeResidue,
  storeForm,
  readList,
  readMessageList,
  readObject,
  readString,
  reportNotPortableResidue,
  reportUnsupportedFields,
  unknownFields,
  restoreResidue,
} from "../../src/dialects/kit/index.ts";
import type { JsonObject, JsonValue, Message, Part } from "../../src/index.ts";
import type { DecodeContext, EncodeContext } from "../../src/dialects/kit/index.ts";

export const MESSAGE_LOSSES = {
  ...NOT_PORTABLE_LOSSES,
  "residue-conflict": { action: "dropped", level: "loss", message: "Its place is taken." },
  "role-approximated": { action: "approximated", level: "loss", message: "There is no such role." },
  "part-unsupported": { action: "dropped", level: "loss", message: "There is no block for this part." },
  "field-unsupported": { action: "dropped", level: "loss", message: "There is no field for this." },
} as const;
export type MessageLoss = keyof typeof MESSAGE_LOSSES;
type Code = MessageLoss;

const BLOCKS: Readonly<Record<string, readonly string[]>> = {
  text: ["text", "seals"],
  reasoning: ["text", "summary", "seals"],
  "tool-call": ["toolCallId", "toolName", "input", "inputText", "invalid", "seals"],
  "tool-result": ["toolCallId", "toolName", "isError", "output", "seals"],
};
const MESSAGE = new Set(["from", "name", "blocks"]);

function decodeBlock(value: JsonValue, { dialect }: DecodeContext): Part {
  const verbatim: Part = { type: "opaque", dialect, value };
  if (!isObject(value) || typeof value["is"] !== "string" || !Object.hasOwn(BLOCKS, value["is"])) return verbatim;
  const type = value["is"];
  const known = BLOCKS[type] ?? [];
  // The cast is checked by the validation below.
  const part = { type } as Part;
  for (const field of known) if (Object.hasOwn(value, field)) copyField(value, field, part);
  if (validate({ role: "assistant", parts: [part] }).some(({ code }) => code !== "role-part")) return verbatim;
  storeResidue(part, dialect, unknownFields(value, new Set(["is", ...known])));
  return part;
}

function encodeBlock(part: Part, context: EncodeContext<Code>): JsonValue[] {
  if (part.type === "opaque" && part.dialect === context.dialect) {
    reportUnsupportedFields(part, new Set(["type", "dialect", "value"]), context, "field-unsupported");
    return [part.value as JsonValue];
  }
  const known = BLOCKS[part.type];
  if (known === undefined) {
    context.report.addLoss("part-unsupported");
    return [];
  }
  reportUnsupportedFields(part, new Set(["type", "extra", ...known]), context, "field-unsupported");
  reportNotPortableResidue(part, context);
  const wire: JsonObject = { is: part.type };
  for (const field of known) if (Object.hasOwn(part, field)) copyField(part, field, wire);
  restoreResidue(wire, part, context);
  return [wire];
}

export function decodeMessage(value: JsonValue, context: DecodeContext): Message {
  const wire = readObject(value, context);
  const roleName = readString(wire, "from", context);
  const role = ROLES.find((each) => each === roleName);
  const blocks = readList(wire["blocks"], context, "blocks");
  const parts = context.pathTracker.each("blocks", blocks, (block) => decodeBlock(block, context));
  const message: Message = { role: role ?? "user", parts };
  if (role === undefined) storeForm(message, context.dialect, "from", roleName);
  if (wire["name"] !== undefined) message.name = readString(wire, "name", context);
  storeResidue(message, context.dialect, unknownFields(wire, MESSAGE));
  return message;
}

export function encodeMessage(message: Message, context: EncodeContext<Code>): JsonObject {
  reportUnsupportedFields(message, new Set(["role", "parts", "name", "extra"]), context, "field-unsupported");
  reportNotPortableResidue(message, context);
  const blocks = context.pathTracker.each("parts", message.parts, (part) => encodeBlock(part, context)).flat();
  const spelled = message.role === "user" ? readForm(message, context.dialect)["from"] : undefined;
  const wire: JsonObject = { from: typeof spelled === "string" ? spelled : message.role, blocks };
  if (message.name !== undefined) wire["name"] = message.name;
  restoreResidue(wire, message, context);
  return wire;
}

export const exampleMessageDialect = defineDialect<Code>({
  id: "plain",
  title: "Example blocks",
  losses: MESSAGE_LOSSES,
  messages: {
    decode(wire, context) {
      const { list, key } = readMessageList(wire, context);
      return context.pathTracker.each(key, list, (value) => decodeMessage(value, context));
    },
    encode: (messages, context) =>
      context.pathTracker.each(undefined, messages, (message) => encodeMessage(message, context)),
  },
});
