// The cases of one wire sample: it comes back equal, also from storage and after edits, and no change of it crashes.
import type { Dialect } from "../dialects/dialect.ts";
import { parseJson, sameJson, stringifyJson } from "../model/json/index.ts";
import type { Message } from "../model/message.ts";
import { user } from "../model/message.ts";
import { validate } from "../model/validation/validate.ts";
import type { ConformanceCase } from "./demand.ts";
import { demand, listOf } from "./demand.ts";
import { keepsNewFields, survivesMutation } from "./mutation.ts";
import { deepFreeze, withPlace } from "./places.ts";

/** A wire value that the dialect reads; its list of messages must come back as equal JSON. */
export interface Sample {
  name: string;
  wire: unknown;
}

export function sampleCases(dialect: Dialect, { name, wire }: Sample, mutants: number): ConformanceCase[] {
  const title = (claim: string): string => `${dialect.id}: ${name}: ${claim}`;
  return [
    { title: title("comes back as equal JSON"), run: () => comesBack(dialect, wire) },
    { title: title("survives a stored copy of the messages"), run: () => survivesStorage(dialect, wire) },
    { title: title("B44: an appended message changes nothing before it"), run: () => keepsPrefix(dialect, wire) },
    { title: title("an edited text changes nothing else"), run: () => keepsTheRest(dialect, wire) },
    { title: title("decodes to messages of the right shape"), run: () => hasRightShape(dialect, wire) },
    {
      title: title("B43: a new field comes back, wherever it stands"),
      run: () => keepsNewFields(dialect, wire),
    },
    {
      title: title("B43: never crashes, whatever field is gone or odd"),
      run: () => survivesMutation(dialect, wire, { limit: mutants, salt: name }),
    },
  ];
}

function comesBack(dialect: Dialect, wire: unknown): void {
  const { wire: again, losses } = dialect.encodeMessages(dialect.decodeMessages(deepFreeze(wire)));
  demand(sameJson(again, listOf(wire)), "The wire came back different.", "sent:", listOf(wire), "came back:", again);
  demand(
    losses.every(({ level }) => level === "note"),
    "A loss in the dialect's own data.",
    losses,
  );
}

/** What a message store does: text and back. */
function survivesStorage(dialect: Dialect, wire: unknown): void {
  const stored = parseJson(stringifyJson(dialect.decodeMessages(wire))) as unknown as Message[];
  const { wire: again } = dialect.encodeMessages(stored);
  demand(sameJson(again, listOf(wire)), "A stored copy came back different.", listOf(wire), again);
}

function keepsPrefix(dialect: Dialect, wire: unknown): void {
  const messages = dialect.decodeMessages(wire);
  const before = listOf(dialect.encodeMessages(messages).wire) as unknown[];
  const after = listOf(dialect.encodeMessages([...messages, user("And another thing.")]).wire) as unknown[];
  const prefix = after.slice(0, before.length);
  demand(
    stringifyJson(prefix) === stringifyJson(before),
    "An appended message changed the ones before.",
    before,
    prefix,
  );
  demand(after.length > before.length, "The appended message is not there.", after);
}

const EDITED = "An edited text that stands nowhere else.";

/** Each text edited by itself: it arrives, and every other part and message is what it was. */
function keepsTheRest(dialect: Dialect, wire: unknown): void {
  const messages = dialect.decodeMessages(wire);
  messages.forEach((message, index) => {
    message.parts.forEach((part, position) => {
      if (part.type !== "text") return;
      const edited = withPlace(messages, [index, "parts", position, "text"], EDITED) as Message[];
      const { wire: out } = dialect.encodeMessages(edited);
      demand(stringifyJson(out).includes(EDITED), "The edit did not arrive.", out);
      const restored = dialect.decodeMessages(out);
      const others = (list: readonly Message[]): Message[] => list.filter((_, each) => each !== index);
      demand(sameJson(others(restored), others(messages)), "The edit changed another message.", restored, messages);
      const [now, then] = [restored[index]?.parts, edited[index]?.parts];
      demand(sameJson(now, then), "The edit changed another part, or more than the text.", "now:", now, "was:", then);
    });
  });
}

function hasRightShape(dialect: Dialect, wire: unknown): void {
  const issues = dialect.decodeMessages(wire).flatMap((message) => validate(message));
  const wrong = issues.filter(({ code }) => ["wrong-type", "missing-field", "not-json", "too-deep"].includes(code));
  demand(wrong.length === 0, "The decoded messages are not of the model's shape.", wrong);
}
