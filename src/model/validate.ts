// Whether a value is a message, and whether messages fit together. Nothing here throws; every issue has a path.
import { ShapeInspector } from "./inspect-shape.ts";
import type { Issue, IssueCode } from "./issue.ts";
import type { Role } from "./message.ts";
import type { PartType } from "./parts.ts";
import { pointerStep } from "./pointer.ts";
import type { AnyShape } from "./shape.ts";
import { message, NAMED, request, response, storedMessage } from "./shapes.ts";

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

export function validateRequest(value: unknown): Issue[] {
  const { messages } = fieldsOf(value);
  return [...inspect(value, request), ...(Array.isArray(messages) ? under("/messages", acrossMessages(messages)) : [])];
}

export function validateResponse(value: unknown): Issue[] {
  return inspect(value, response);
}

function under(prefix: string, issues: readonly Issue[]): Issue[] {
  return issues.map((issue) => ({ ...issue, path: prefix + issue.path }));
}

/** Everything that is wrong with each message, and with their tool calls and results taken together. */
export function validateMessages(messages: readonly unknown[]): Issue[] {
  return [...messages.flatMap((each, index) => under(`/${index}`, validate(each))), ...acrossMessages(messages)];
}

interface KnownCall {
  runId: unknown;
  answered: boolean;
}

/** Call ids are unique in a run, a call has one result, and a result has a call before it. */
function acrossMessages(messages: readonly unknown[]): Issue[] {
  const issues: Issue[] = [];
  const calls = new Map<string, KnownCall>();
  messages.forEach((each, index) => {
    const { runId } = fieldsOf(fieldsOf(each).metadata);
    partsOf(each).forEach((part, partIndex) => {
      const path = pointerStep(index) + "/parts" + pointerStep(partIndex) + "/toolCallId";
      const issue = checkCall(part, runId, calls);
      if (issue !== undefined) issues.push({ ...issue, path });
    });
  });
  return issues;
}

function checkCall(part: unknown, runId: unknown, calls: Map<string, KnownCall>): Omit<Issue, "path"> | undefined {
  const { type, toolCallId, executor } = fieldsOf(part);
  if ((type !== "tool-call" && type !== "tool-result") || typeof toolCallId !== "string") return undefined;
  if (toolCallId === "") return { code: "empty-id", message: "A call and its result need an id to be paired." };
  const known = calls.get(toolCallId);
  if (type === "tool-call") {
    calls.set(toolCallId, { runId, answered: false });
    if (known === undefined || known.runId !== runId) return undefined;
    return { code: "duplicate-call", message: `Another call of this run has the id "${toolCallId}"; give it its own.` };
  }
  if (known === undefined) {
    calls.set(toolCallId, { runId, answered: true });
    if (executor === "provider") return undefined;
    return { code: "orphan-result", message: `No call with the id "${toolCallId}" comes before this result.` };
  }
  if (known.answered) {
    return { code: "duplicate-result", message: `The call "${toolCallId}" has a result already; keep one of them.` };
  }
  known.answered = true;
  return undefined;
}
