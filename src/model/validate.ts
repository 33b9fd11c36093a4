// Whether a value is a message, and whether messages fit together. Nothing here throws; every issue has a path.
import { request, response } from "./exchange-shapes.ts";
import { ShapeInspector } from "./inspect-shape.ts";
import type { Issue, IssueCode } from "./issue.ts";
import { clip } from "./issue.ts";
import type { Role } from "./message.ts";
import type { PartType } from "./parts.ts";
import { pointerStep } from "./pointer.ts";
import type { AnyShape } from "./shape.ts";
import { message, NAMED, storedMessage } from "./shapes.ts";

const MEDIA: PartType[] = ["image", "audio", "video", "file"];

/** Which parts a role may hold; `opaque` is legal everywhere. Provider-executed results belong to the assistant. */
const ROLE_PARTS: Record<Role, readonly PartType[]> = {
  system: ["text"],
  developer: ["text"],
  user: ["text", ...MEDIA],
  assistant: ["text", "reasoning", "refusal", "tool-call", "tool-result", ...MEDIA],
  tool: ["tool-result"],
};

function inspect(value: unknown, shape: AnyShape): Issue[] {
  return new ShapeInspector(NAMED).inspect(value, shape);
}

/** The fields of a foreign value, all of them unknown still. */
function fieldsOf(value: unknown): Readonly<Record<string, unknown>> {
  return typeof value === "object" && value !== null ? (value as Record<string, unknown>) : {};
}

function partsOf(value: unknown): readonly unknown[] {
  const { parts } = fieldsOf(value);
  return Array.isArray(parts) ? parts : [];
}

function checkRoles(value: unknown): Issue[] {
  const { role } = fieldsOf(value);
  if (typeof role !== "string" || !Object.hasOwn(ROLE_PARTS, role)) return [];
  const allowed: readonly string[] = ROLE_PARTS[role as Role];
  return partsOf(value).flatMap((each, index): Issue[] => {
    const { type, executor } = fieldsOf(each);
    if (typeof type !== "string" || !KNOWN_TYPES.has(type) || type === "opaque") return [];
    const path = `/parts/${index}`;
    if (!allowed.includes(type)) {
      const wanted = allowed.join(", ");
      return [{ path, code: "role-part", message: `A ${role} message holds ${wanted}; move this ${type} elsewhere.` }];
    }
    if (role === "assistant" && type === "tool-result" && executor !== "provider") {
      return [{ path, code: "role-part", message: "The result of a client's tool belongs into a tool message." }];
    }
    return [];
  });
}

const KNOWN_TYPES: ReadonlySet<string> = new Set<string>([...Object.values(ROLE_PARTS).flat(), "opaque"]);

function isStored(value: unknown): boolean {
  const fields = fieldsOf(value);
  return fields.parentMessageId !== undefined || fields.createdAt !== undefined;
}

/** Everything that is wrong with one message, stored or not: shapes, words, sources, roles. */
export function validate(value: unknown): Issue[] {
  return [...inspect(value, isStored(value) ? storedMessage : message), ...checkRoles(value)];
}

/** What no reader can work with. The rest (unknown parts, fields and words, odd ids) survives and is `validate`'s to tell. */
const STRUCTURAL: ReadonlySet<IssueCode> = new Set<IssueCode>(["wrong-type", "missing-field", "not-json", "too-deep"]);

/** What is wrong with a value's structure, so that it cannot be read at all. */
export function structuralIssues(value: unknown, shape: AnyShape): Issue[] {
  return inspect(value, shape).filter(({ code }) => STRUCTURAL.has(code));
}

/** Everything that is wrong with a request: its shape, its roles, and its calls and results taken together. */
export function validateRequest(value: unknown): Issue[] {
  const { messages } = fieldsOf(value);
  const list: readonly unknown[] = Array.isArray(messages) ? messages : [];
  const roles = list.flatMap((each, index) => under(`/${index}`, checkRoles(each)));
  return [...inspect(value, request), ...under("/messages", [...roles, ...acrossMessages(list)])];
}

/** Everything that is wrong with a response: its shape, and the roles of its messages. */
export function validateResponse(value: unknown): Issue[] {
  const { message: first, alternatives } = fieldsOf(value);
  const others: readonly unknown[] = Array.isArray(alternatives) ? alternatives : [];
  return [
    ...inspect(value, response),
    ...under("/message", checkRoles(first)),
    ...others.flatMap((each, index) => under(`/alternatives/${index}/message`, checkRoles(fieldsOf(each).message))),
  ];
}

function under(prefix: string, issues: readonly Issue[]): Issue[] {
  return issues.map((issue) => ({ ...issue, path: prefix + issue.path }));
}

/** Everything that is wrong with each message, and with their tool calls and results taken together. */
export function validateMessages(messages: readonly unknown[]): Issue[] {
  if (!Array.isArray(messages)) return [{ path: "", code: "wrong-type", message: "Expected a list of messages." }];
  return [...messages.flatMap((each, index) => under(`/${index}`, validate(each))), ...acrossMessages(messages)];
}

/** Call ids are unique in a run, a call has one result, and a result has a call before it. */
function acrossMessages(messages: readonly unknown[]): Issue[] {
  const issues: Issue[] = [];
  const calls = new CallRegister();
  messages.forEach((each, index) => {
    const { runId } = fieldsOf(fieldsOf(each).metadata);
    partsOf(each).forEach((part, partIndex) => {
      const path = pointerStep(index) + "/parts" + pointerStep(partIndex) + "/toolCallId";
      const issue = calls.check(part, runId);
      if (issue !== undefined) issues.push({ ...issue, path });
    });
  });
  return issues;
}

interface KnownCall {
  answered: boolean;
}

/** The calls of a conversation: by run and id, and the latest of each id for results that come in another run. */
class CallRegister {
  readonly #calls = new Map<string, KnownCall>();
  readonly #latest = new Map<string, KnownCall>();

  check(part: unknown, runId: unknown): Omit<Issue, "path"> | undefined {
    const { type, toolCallId, executor } = fieldsOf(part);
    if ((type !== "tool-call" && type !== "tool-result") || typeof toolCallId !== "string") return undefined;
    if (toolCallId === "") return { code: "empty-id", message: "A call and its result need an id to be paired." };
    const key = `${typeof runId === "string" ? JSON.stringify(runId) : ""} ${toolCallId}`;
    if (type === "tool-result")
      return this.#answer(this.#calls.get(key) ?? this.#latest.get(toolCallId), key, toolCallId, executor);
    if (this.#calls.has(key)) {
      return {
        code: "duplicate-call",
        message: `Another call of this run has the id "${clip(toolCallId)}"; give it its own.`,
      };
    }
    this.#add(key, toolCallId, { answered: false });
    return undefined;
  }

  #add(key: string, toolCallId: string, call: KnownCall): void {
    this.#calls.set(key, call);
    this.#latest.set(toolCallId, call);
  }

  #answer(call: KnownCall | undefined, key: string, id: string, executor: unknown): Omit<Issue, "path"> | undefined {
    if (call === undefined) {
      this.#add(key, id, { answered: true });
      if (executor === "provider") return undefined;
      return { code: "orphan-result", message: `No call with the id "${clip(id)}" comes before this result.` };
    }
    if (call.answered) {
      return { code: "duplicate-result", message: `The call "${clip(id)}" has a result already; keep one of them.` };
    }
    call.answered = true;
    return undefined;
  }
}
