// Creates the conformance cases for one wire sample of messages: round trips, a stored copy, edits and mutants.
import type { Dialect } from "../../dialects/dialect.ts";
import { parseJson, sameJson, stringifyJson } from "../../model/json/index.ts";
import type { Message } from "../../model/message.ts";
import { user } from "../../model/message.ts";
import { validate } from "../../model/validation/validate.ts";
import type { ConformanceCase } from "../conformance-case.ts";
import { assertHolds, readWireMessages } from "../conformance-case.ts";
import { assertNewMessageFieldsRestored, assertMessageMutantsHandled } from "./message-totality.ts";
import { deepFreeze, replaceAt } from "../json/json-nodes.ts";

/** A wire value with messages that the dialect decodes; encoding the decoded messages must return equal JSON. */
export interface MessageSample {
  name: string;
  wire: unknown;
}

export function createSampleCases(dialect: Dialect, { name, wire }: MessageSample, mutants: number): ConformanceCase[] {
  const title = (claim: string): string => `${dialect.id}: ${name}: ${claim}`;
  return [
    { title: title("comes back as equal JSON"), run: () => assertMessagesEqual(dialect, wire) },
    { title: title("a stored copy comes back as equal JSON"), run: () => assertStoredCopyEqual(dialect, wire) },
    {
      title: title("B44: an appended message changes nothing before it"),
      run: () => assertAppendKeepsPrefix(dialect, wire),
    },
    { title: title("an edited text changes nothing else"), run: () => assertTextEditIsLocal(dialect, wire) },
    { title: title("decodes to the model's shape"), run: () => assertMessageShape(dialect, wire) },
    {
      title: title("B43: a new field at any position is preserved"),
      run: () => assertNewMessageFieldsRestored(dialect, wire),
    },
    {
      title: title("B43: a missing or invalid field never crashes the dialect"),
      run: () => assertMessageMutantsHandled(dialect, wire, { limit: mutants, salt: name }),
    },
  ];
}

function assertMessagesEqual(dialect: Dialect, wire: unknown): void {
  const { wire: encoded, losses } = dialect.encodeMessages(dialect.decodeMessages(deepFreeze(wire)));
  assertHolds(
    sameJson(encoded, readWireMessages(wire)),
    "The wire came back different.",
    "sent:",
    readWireMessages(wire),
    "came back:",
    encoded,
  );
  assertHolds(
    losses.every(({ level }) => level === "note"),
    "The dialect reported a loss for its own data.",
    losses,
  );
}

/** Requires that messages are encoded to equal JSON after they were copied by JSON text, as in a store. */
function assertStoredCopyEqual(dialect: Dialect, wire: unknown): void {
  const stored = parseJson(stringifyJson(dialect.decodeMessages(wire))) as unknown as Message[];
  const { wire: encoded } = dialect.encodeMessages(stored);
  assertHolds(
    sameJson(encoded, readWireMessages(wire)),
    "A stored copy came back different.",
    readWireMessages(wire),
    encoded,
  );
}

function assertAppendKeepsPrefix(dialect: Dialect, wire: unknown): void {
  const messages = dialect.decodeMessages(wire);
  const before = readWireMessages(dialect.encodeMessages(messages).wire) as unknown[];
  const after = readWireMessages(dialect.encodeMessages([...messages, user("And another thing.")]).wire) as unknown[];
  const prefix = after.slice(0, before.length);
  assertHolds(
    stringifyJson(prefix) === stringifyJson(before),
    "An appended message changed the ones before.",
    before,
    prefix,
  );
  assertHolds(after.length > before.length, "The appended message is absent.", after);
}

const EDITED_TEXT = "An edited text that stands nowhere else.";

/** Requires for each text that an edit of it is encoded and changes no other part and no other message. */
function assertTextEditIsLocal(dialect: Dialect, wire: unknown): void {
  const messages = dialect.decodeMessages(wire);
  messages.forEach((message, index) => {
    message.parts.forEach((part, position) => {
      if (part.type !== "text") return;
      const edited = replaceAt(messages, [index, "parts", position, "text"], EDITED_TEXT) as Message[];
      const { wire: encoded } = dialect.encodeMessages(edited);
      assertHolds(stringifyJson(encoded).includes(EDITED_TEXT), "The edited text is absent.", encoded);
      const decoded = dialect.decodeMessages(encoded);
      const others = (list: readonly Message[]): Message[] => list.filter((_, each) => each !== index);
      assertHolds(sameJson(others(decoded), others(messages)), "The edit changed another message.", decoded, messages);
      const [is, was] = [decoded[index]?.parts, edited[index]?.parts];
      assertHolds(sameJson(is, was), "The edit changed another part, or more than the text.", "is:", is, "was:", was);
    });
  });
}

function assertMessageShape(dialect: Dialect, wire: unknown): void {
  const issues = dialect.decodeMessages(wire).flatMap((message) => validate(message));
  const shapeIssues = issues.filter(({ code }) =>
    ["wrong-type", "missing-field", "not-json", "too-deep"].includes(code),
  );
  assertHolds(shapeIssues.length === 0, "The decoded messages do not have the model's shape.", shapeIssues);
}
