// Validates messages, requests and responses: shapes, roles, and the pairing of tool calls and results. The functions
// return issues with paths and never throw.
import { request, response } from "./request-shapes.ts";
import { ShapeInspector } from "./inspect-shape.ts";
import type { Issue, IssueCode } from "./issue.ts";
import { truncateText } from "./issue.ts";
import type { Role } from "../message.ts";
import type { PartType } from "../parts.ts";
import { pointerStep } from "../json/pointer.ts";
import type { AnyShape } from "./shape.ts";
import { message, NAMED, storedMessage } from "./message-shapes.ts";

const MEDIA: PartType[] = ["image", "audio", "video", "file"];

/**
 * The part types that messages of each role can contain; `opaque` is allowed in every role. Results of provider tools
 * belong in assistant messages.
 */
const ROLE_PARTS: Record<Role, readonly PartType[]> = {
  system: ["text"],
  developer: ["text"],
  user: ["text", ...MEDIA],
  assistant: ["text", "reasoning", "refusal", "tool-call", "tool-result", ...MEDIA],
  tool: ["tool-result"],
};

function inspectShape(value: unknown, shape: AnyShape): Issue[] {
  return new ShapeInspector(NAMED).inspect(value, shape);
}

/** Returns the fields of an unknown value; `{}` if it is not an object. */
function readFields(value: unknown): Readonly<Record<string, unknown>> {
  return typeof value === "object" && value !== null ? (value as Record<string, unknown>) : {};
}

function readParts(value: unknown): readonly unknown[] {
  const { parts } = readFields(value);
  return Array.isArray(parts) ? parts : [];
}

function checkRoles(value: unknown): Issue[] {
  const { role } = readFields(value);
  if (typeof role !== "string" || !Object.hasOwn(ROLE_PARTS, role)) return [];
  const allowed: readonly string[] = ROLE_PARTS[role as Role];
  return readParts(value).flatMap((each, index): Issue[] => {
    const { type, executor } = readFields(each);
    if (typeof type !== "string" || !KNOWN_TYPES.has(type) || type === "opaque") return [];
    const path = `/parts/${index}`;
    if (!allowed.includes(type)) {
      const wanted = allowed.join(", ");
      return [
        {
          path,
          code: "role-part",
          message: `A ${role} message can contain ${wanted}; move this ${type} part to another message.`,
        },
      ];
    }
    if (role === "assistant" && type === "tool-result" && executor !== "provider") {
      return [{ path, code: "role-part", message: "The result of a client tool belongs in a tool message." }];
    }
    return [];
  });
}

const KNOWN_TYPES: ReadonlySet<string> = new Set<string>([...Object.values(ROLE_PARTS).flat(), "opaque"]);

function isStored(value: unknown): boolean {
  const fields = readFields(value);
  return fields.parentMessageId !== undefined || fields.createdAt !== undefined;
}

/**
 * Returns every issue of one message or stored message: shape, values, media sources, roles.
 *
 * @example
 * ```ts
 * import { user, validate } from "koine";
 *
 * console.log(validate(user("Hello"))); // []
 * const issues = validate({ role: "user", parts: [{ type: "text" }] });
 * console.log(issues.map(({ code, path }) => `${code} ${path}`)); // ["missing-field /parts/0"]
 * ```
 */
export function validate(value: unknown): Issue[] {
  return [...inspectShape(value, isStored(value) ? storedMessage : message), ...checkRoles(value)];
}

/**
 * The codes of the issues that make a value unreadable. Values with other issues (unknown parts, fields, values, ids)
 * can still be read.
 */
const STRUCTURAL: ReadonlySet<IssueCode> = new Set<IssueCode>(["wrong-type", "missing-field", "not-json", "too-deep"]);

/** Returns the issues that make a value unreadable. */
export function structuralIssues(value: unknown, shape: AnyShape): Issue[] {
  return inspectShape(value, shape).filter(({ code }) => STRUCTURAL.has(code));
}

/** Returns every issue of a request: shape, roles, and the pairing of calls and results. */
export function validateRequest(value: unknown): Issue[] {
  const { messages } = readFields(value);
  const list: readonly unknown[] = Array.isArray(messages) ? messages : [];
  const roles = list.flatMap((each, index) => prefixPaths(`/${index}`, checkRoles(each)));
  return [...inspectShape(value, request), ...prefixPaths("/messages", [...roles, ...checkCallPairs(list)])];
}

/** Returns every issue of a response: shape, and the roles of its messages. */
export function validateResponse(value: unknown): Issue[] {
  const { message: first, alternatives } = readFields(value);
  const others: readonly unknown[] = Array.isArray(alternatives) ? alternatives : [];
  return [
    ...inspectShape(value, response),
    ...prefixPaths("/message", checkRoles(first)),
    ...others.flatMap((each, index) =>
      prefixPaths(`/alternatives/${index}/message`, checkRoles(readFields(each).message)),
    ),
  ];
}

function prefixPaths(prefix: string, issues: readonly Issue[]): Issue[] {
  return issues.map((issue) => ({ ...issue, path: prefix + issue.path }));
}

/** Returns every issue of a list of messages, including the pairing of calls and results. */
export function validateMessages(messages: readonly unknown[]): Issue[] {
  if (!Array.isArray(messages)) return [{ path: "", code: "wrong-type", message: "Expected a list of messages." }];
  return [...messages.flatMap((each, index) => prefixPaths(`/${index}`, validate(each))), ...checkCallPairs(messages)];
}

/**
 * Checks that call ids are unique among messages with the same `metadata.runId`, that a call has at most one result,
 * and that a result follows its call. Messages without a run id count as one run.
 */
function checkCallPairs(messages: readonly unknown[]): Issue[] {
  const issues: Issue[] = [];
  const calls = new CallIndex();
  messages.forEach((each, index) => {
    const { runId } = readFields(readFields(each).metadata);
    readParts(each).forEach((part, partIndex) => {
      const path = pointerStep(index) + "/parts" + pointerStep(partIndex) + "/toolCallId";
      const issue = calls.check(part, runId);
      if (issue !== undefined) issues.push({ ...issue, path });
    });
  });
  return issues;
}

interface CallEntry {
  answered: boolean;
}

/**
 * The calls of a conversation. A result belongs to the call with the same id and the same `metadata.runId` or, if there
 * is none, to the latest earlier call with the same id.
 */
class CallIndex {
  readonly #calls = new Map<string, CallEntry>();
  readonly #latest = new Map<string, CallEntry>();

  check(part: unknown, runId: unknown): Omit<Issue, "path"> | undefined {
    const { type, toolCallId, executor } = readFields(part);
    if ((type !== "tool-call" && type !== "tool-result") || typeof toolCallId !== "string") return undefined;
    if (toolCallId === "") return { code: "empty-id", message: "A call and its result need an id to be paired." };
    const key = `${typeof runId === "string" ? JSON.stringify(runId) : ""} ${toolCallId}`;
    if (type === "tool-result")
      return this.#answer(this.#calls.get(key) ?? this.#latest.get(toolCallId), key, toolCallId, executor);
    if (this.#calls.has(key)) {
      return {
        code: "duplicate-call",
        message: `Another call of this run has the id "${truncateText(toolCallId)}"; give it its own.`,
      };
    }
    this.#add(key, toolCallId, { answered: false });
    return undefined;
  }

  #add(key: string, toolCallId: string, call: CallEntry): void {
    this.#calls.set(key, call);
    this.#latest.set(toolCallId, call);
  }

  #answer(call: CallEntry | undefined, key: string, id: string, executor: unknown): Omit<Issue, "path"> | undefined {
    if (call === undefined) {
      this.#add(key, id, { answered: true });
      if (executor === "provider") return undefined;
      return { code: "orphan-result", message: `No call with the id "${truncateText(id)}" comes before this result.` };
    }
    if (call.answered) {
      return {
        code: "duplicate-result",
        message: `The call "${truncateText(id)}" already has a result; remove one of them.`,
      };
    }
    call.answered = true;
    return undefined;
  }
}
