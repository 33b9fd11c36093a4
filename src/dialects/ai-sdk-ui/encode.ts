// From messages to UI messages. What an assistant says until the user speaks again is one of them: steps, and within them
// the results of the tools that the client ran.
import type { JsonObject } from "../../model/json.ts";
import { copyObject } from "../../model/json.ts";
import type { Message, Metadata } from "../../model/message.ts";
import type { Part } from "../../model/parts.ts";
import type { EncodeMessagesOptions } from "../dialect.ts";
import { reportShared } from "../kit/ai-sdk-options.ts";
import { copyField, isObject } from "../kit/read.ts";
import { readForm, restoreResidue } from "../kit/residue.ts";
import { encodePart } from "./encode-part.ts";
import type { Context } from "./losses.ts";
import { reportRest } from "./losses.ts";
import { ToolParts } from "./encode-tool.ts";

export function encodeMessages(
  messages: readonly Message[],
  context: Context,
  options: EncodeMessagesOptions = {},
): JsonObject[] {
  const writer = new Writer(messages, context, options);
  context.pathTracker.each(undefined, messages, (message, at) => writer.add(message, at));
  return writer.wires;
}

/** What the first message of a UI message carries; of the others, only metadata find a place. */
const FIRST: ReadonlySet<string> = new Set(["role", "parts", "extra", "id", "metadata"]);
const STEERING: ReadonlySet<string> = new Set(["role", "parts", "extra", "id"]);
const FOLLOWER: ReadonlySet<string> = new Set(["role", "parts", "extra", "metadata"]);

class Writer {
  readonly wires: JsonObject[] = [];
  readonly #context: Context;
  readonly #options: EncodeMessagesOptions;
  readonly #tools: ToolParts;
  /** The parts of the assistant's UI message that is still open. */
  #open: JsonObject[] | undefined;
  #before: Message["role"] | undefined;

  constructor(messages: readonly Message[], context: Context, options: EncodeMessagesOptions) {
    this.#context = context;
    this.#options = options;
    this.#tools = new ToolParts(context, messages);
  }

  add(message: Message, at: number): void {
    const { role } = message;
    if (role === "tool" && message.parts.length === 0) {
      this.#context.report.addLoss("message-unsaid");
      return;
    }
    if (role === "assistant") this.#addStep(message, at);
    else if (role === "tool") this.#addResults(message, at);
    else if (
      role === "user" &&
      this.#open !== undefined &&
      readForm(message, this.#context.dialect)["steering"] === true
    ) {
      this.#open.push(this.#steering(message, at));
    } else {
      this.#open = undefined;
      this.#begin(message, this.#roleOf(message), at, this.#encodeParts(message, "user"));
    }
    this.#before = role;
  }

  /** What the user said while the assistant was at work stands within its message. */
  #steering(message: Message, at: number): JsonObject {
    const context = this.#context;
    reportRest(message, STEERING, context);
    reportShared(message, context);
    this.#reportResidue(message);
    return { type: "steering-message", id: this.#idOf(message, at), parts: this.#encodeParts(message, "user") };
  }

  #idOf({ id }: Message, at: number): string {
    if (id !== undefined) return id;
    this.#context.report.addLoss("id-made", "id");
    return this.#options.newId?.() ?? `msg-${at}`;
  }

  #roleOf(message: Message): string {
    const { report, dialect } = this.#context;
    const { role } = message;
    const unknown = readForm(message, dialect)["role"];
    if (typeof unknown === "string") {
      if (role === "user") return unknown;
      report.addLoss("form-stale", ["extra", dialect, "$form", "role"]);
    }
    if (role === "developer") report.addLoss("developer-as-system", "role");
    if (role === "system" || role === "developer") return "system";
    if (role !== "user") report.addLoss("role-approximated", "role");
    return "user";
  }

  /** A new UI message with the id, metadata and residue of its first message. */
  #begin(message: Message, role: string, at: number, parts: JsonObject[]): void {
    const context = this.#context;
    const { dialect } = context;
    reportRest(message, FIRST, context);
    reportShared(message, context);
    const wire: JsonObject = {};
    const hasNone = readForm(message, dialect)["id"] === null || message.extra?.[dialect]?.["id"] !== undefined;
    if (message.id !== undefined || !hasNone) wire["id"] = this.#idOf(message, at);
    wire["role"] = role;
    // Metadata are JSON, like everything in the model.
    if (message.metadata !== undefined) wire["metadata"] = message.metadata as JsonObject;
    wire["parts"] = parts;
    restoreResidue(wire, message, context);
    this.wires.push(wire);
  }

  #addStep(message: Message, at: number): void {
    const context = this.#context;
    const form = readForm(message, context.dialect);
    const isJoined = this.#before === "tool" ? form["begins"] !== true : form["joined"] === true;
    const isFirst = this.#open === undefined || !isJoined;
    if (isFirst) this.#open = [];
    const parts = this.#open ?? [];
    if (form["step"] !== false) parts.push({ type: "step-start" });
    if (isFirst) this.#begin(message, "assistant", at, parts);
    else this.#follow(message);
    for (const part of this.#encodeParts(message, "assistant")) parts.push(part);
  }

  /** Reports what only the first message of a UI message can say. */
  #follow(message: Message): void {
    const context = this.#context;
    reportRest(message, FOLLOWER, context);
    reportShared(message, context);
    this.#reportResidue(message);
    if (message.metadata !== undefined) this.#joinMetadata(message.metadata);
  }

  /** Reports what was kept of a message that is one no longer. */
  #reportResidue({ extra }: Message): void {
    const { dialect, report } = this.#context;
    for (const key of Object.keys(extra?.[dialect] ?? {})) {
      if (key !== "$form") report.addLoss("residue-clash", ["extra", dialect, key]);
    }
  }

  /** Metadata are those of the whole: what a later message says goes to the others, unless they say it already. */
  #joinMetadata(metadata: Metadata): void {
    const { report } = this.#context;
    const wire = this.wires.at(-1) ?? {};
    const joined = isObject(wire["metadata"]) ? copyObject(wire["metadata"]) : {};
    for (const key of Object.keys(metadata)) {
      if (Object.hasOwn(joined, key)) report.addLoss("bookkeeping", ["metadata", key]);
      else {
        copyField(metadata, key, joined);
        report.addLoss("metadata-joined", ["metadata", key]);
      }
    }
    wire["metadata"] = joined;
  }

  /** Results go to their calls; anything else in a tool message becomes the assistant's. */
  #addResults(message: Message, at: number): void {
    const context = this.#context;
    const { report } = context;
    if (this.#open === undefined) {
      report.addLoss("result-joined", "role");
      this.#open = [];
      this.#begin(message, "assistant", at, this.#open);
    } else {
      this.#follow(message);
      if (this.#before === "tool") report.addLoss("turns-merged", "role");
    }
    for (const part of this.#encodeParts(message, "tool")) this.#open.push(part);
    this.#tools.endRound();
  }

  #encodeParts(message: Message, role: "user" | "assistant" | "tool"): JsonObject[] {
    const context = this.#context;
    const tools = this.#tools;
    const wires: JsonObject[] = [];
    context.pathTracker.each("parts", message.parts, (part: Part) => {
      if (role !== "user" && tools.takes(part)) {
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
