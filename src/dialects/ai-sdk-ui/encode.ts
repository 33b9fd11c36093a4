// Encodes UI messages. All assistant and tool messages up to the next user message become one UI message with steps;
// results of client tools are written into the parts of their calls.
import type { JsonObject } from "../../model/json/index.ts";
import { copyObject } from "../../model/json/index.ts";
import type { Message, Metadata } from "../../model/message.ts";
import type { Part } from "../../model/parts.ts";
import type { EncodeMessagesOptions } from "../dialect.ts";
import { reportSharedResidue } from "../ai-sdk/provider-options.ts";
import { copyField, isObject } from "../kit/fields/read-wire.ts";
import { readForm, restoreResidue } from "../kit/residue/residue.ts";
import { encodePart } from "./encode-part.ts";
import type { UiEncodeContext } from "./losses.ts";
import { reportUnsupportedUiFields } from "./losses.ts";
import { ToolPartEncoder } from "./encode-tool.ts";

export function encodeMessages(
  messages: readonly Message[],
  context: UiEncodeContext,
  options: EncodeMessagesOptions = {},
): JsonObject[] {
  const encoder = new UiMessageEncoder(messages, context, options);
  context.pathTracker.each(undefined, messages, (message, at) => encoder.add(message, at));
  return encoder.wireMessages;
}

/**
 * The fields of a canonical message that can be written if it is the first of the messages that a UI message combines.
 */
const FIRST_MESSAGE_FIELDS: ReadonlySet<string> = new Set(["role", "parts", "extra", "id", "metadata"]);
/** The fields that can be written of a steering message, a user's message between two steps. */
const STEERING_MESSAGE_FIELDS: ReadonlySet<string> = new Set(["role", "parts", "extra", "id"]);
/**
 * The fields of a canonical message that can be written if it is a later one of the messages that a UI message
 * combines.
 */
const LATER_MESSAGE_FIELDS: ReadonlySet<string> = new Set(["role", "parts", "extra", "metadata"]);

class UiMessageEncoder {
  readonly wireMessages: JsonObject[] = [];
  readonly #context: UiEncodeContext;
  readonly #options: EncodeMessagesOptions;
  readonly #toolParts: ToolPartEncoder;
  /** The parts of the assistant's UI message that later messages can extend; undefined if there is none. */
  #openParts: JsonObject[] | undefined;
  #previousRole: Message["role"] | undefined;

  constructor(messages: readonly Message[], context: UiEncodeContext, options: EncodeMessagesOptions) {
    this.#context = context;
    this.#options = options;
    this.#toolParts = new ToolPartEncoder(context, messages);
  }

  add(message: Message, at: number): void {
    const { role } = message;
    if (role === "tool" && message.parts.length === 0) {
      this.#context.report.addLoss("message-unsupported");
      return;
    }
    if (role === "assistant") this.#addStep(message, at);
    else if (role === "tool") this.#addResults(message, at);
    else if (
      role === "user" &&
      this.#openParts !== undefined &&
      readForm(message, this.#context.dialect)["steering"] === true
    ) {
      this.#openParts.push(this.#encodeSteering(message, at));
    } else {
      this.#openParts = undefined;
      this.#beginMessage(message, this.#encodeRole(message), at, this.#encodeParts(message, "user"));
    }
    this.#previousRole = role;
  }

  /** Encodes a user's message between two steps as a part of the assistant's UI message. */
  #encodeSteering(message: Message, at: number): JsonObject {
    const context = this.#context;
    reportUnsupportedUiFields(message, STEERING_MESSAGE_FIELDS, context);
    reportSharedResidue(message, context);
    this.#reportResidue(message);
    return {
      type: "steering-message",
      id: this.#findOrCreateId(message, at),
      parts: this.#encodeParts(message, "user"),
    };
  }

  #findOrCreateId({ id }: Message, at: number): string {
    if (id !== undefined) return id;
    this.#context.report.addLoss("id-synthesized", "id");
    return this.#options.newId?.() ?? `msg-${at}`;
  }

  #encodeRole(message: Message): string {
    const { report, dialect } = this.#context;
    const { role } = message;
    const roleForm = readForm(message, dialect)["role"];
    if (typeof roleForm === "string") {
      if (role === "user") return roleForm;
      report.addLoss("form-stale", ["extra", dialect, "$form", "role"]);
    }
    if (role === "developer") report.addLoss("developer-as-system", "role");
    if (role === "system" || role === "developer") return "system";
    if (role !== "user") report.addLoss("role-approximated", "role");
    return "user";
  }

  /** Starts a UI message, with the id, metadata and residue of its first canonical message. */
  #beginMessage(message: Message, role: string, at: number, parts: JsonObject[]): void {
    const context = this.#context;
    const { dialect } = context;
    reportUnsupportedUiFields(message, FIRST_MESSAGE_FIELDS, context);
    reportSharedResidue(message, context);
    const wire: JsonObject = {};
    const hadNoId = readForm(message, dialect)["id"] === null || message.extra?.[dialect]?.["id"] !== undefined;
    if (message.id !== undefined || !hadNoId) wire["id"] = this.#findOrCreateId(message, at);
    wire["role"] = role;
    // The cast is safe: metadata is JSON, although its type is wider.
    if (message.metadata !== undefined) wire["metadata"] = message.metadata as JsonObject;
    wire["parts"] = parts;
    restoreResidue(wire, message, context);
    this.wireMessages.push(wire);
  }

  #addStep(message: Message, at: number): void {
    const context = this.#context;
    const form = readForm(message, context.dialect);
    const isJoined = this.#previousRole === "tool" ? form["begins"] !== true : form["joined"] === true;
    const isFirst = this.#openParts === undefined || !isJoined;
    if (isFirst) this.#openParts = [];
    const parts = this.#openParts ?? [];
    if (form["step"] !== false) parts.push({ type: "step-start" });
    if (isFirst) this.#beginMessage(message, "assistant", at, parts);
    else this.#reportLaterMessage(message);
    for (const part of this.#encodeParts(message, "assistant")) parts.push(part);
  }

  /** Reports the fields that only the first canonical message of a UI message can have. */
  #reportLaterMessage(message: Message): void {
    const context = this.#context;
    reportUnsupportedUiFields(message, LATER_MESSAGE_FIELDS, context);
    reportSharedResidue(message, context);
    this.#reportResidue(message);
    if (message.metadata !== undefined) this.#mergeMetadata(message.metadata);
  }

  /** Reports the residue of a message that does not become a UI message of its own. */
  #reportResidue({ extra }: Message): void {
    const { dialect, report } = this.#context;
    for (const key of Object.keys(extra?.[dialect] ?? {})) {
      if (key !== "$form") report.addLoss("residue-conflict", ["extra", dialect, key]);
    }
  }

  /** Merges the metadata of a later message into the UI message; existing keys are not overwritten. */
  #mergeMetadata(metadata: Metadata): void {
    const { report } = this.#context;
    const wire = this.wireMessages.at(-1) ?? {};
    const joined = isObject(wire["metadata"]) ? copyObject(wire["metadata"]) : {};
    for (const key of Object.keys(metadata)) {
      if (Object.hasOwn(joined, key)) report.addLoss("metadata-dropped", ["metadata", key]);
      else {
        copyField(metadata, key, joined);
        report.addLoss("metadata-merged", ["metadata", key]);
      }
    }
    wire["metadata"] = joined;
  }

  /** Adds the results of a tool message to their calls; all other parts become parts of the assistant. */
  #addResults(message: Message, at: number): void {
    const context = this.#context;
    const { report } = context;
    if (this.#openParts === undefined) {
      report.addLoss("result-merged-into-call", "role");
      this.#openParts = [];
      this.#beginMessage(message, "assistant", at, this.#openParts);
    } else {
      this.#reportLaterMessage(message);
      if (this.#previousRole === "tool") report.addLoss("turns-merged", "role");
    }
    for (const part of this.#encodeParts(message, "tool")) this.#openParts.push(part);
    this.#toolParts.endRound();
  }

  #encodeParts(message: Message, role: "user" | "assistant" | "tool"): JsonObject[] {
    const context = this.#context;
    const tools = this.#toolParts;
    const wires: JsonObject[] = [];
    context.pathTracker.each("parts", message.parts, (part: Part) => {
      if (role !== "user" && tools.accepts(part)) {
        const wire = tools.add(part, role === "tool");
        if (wire !== undefined) wires.push(wire);
        return;
      }
      if (role === "tool") context.report.addLoss("role-approximated", "type");
      for (const wire of encodePart(part, role === "user" ? "user" : "assistant", context)) wires.push(wire);
    });
    return wires;
  }
}
