// Assigns unique ids to the tool calls of a thread. Some servers restart their ids in each answer (`call_0`, `call_1`),
// but providers accept an id only once in a history, so a call with a used id receives a new id. The deltas in the
// ledger have the model's own ids.
import { copyObject } from "../../model/json/index.ts";
import type { Delta, Message, Part, ToolCallPart } from "../../model/index.ts";
import { copyJson, isClientCall } from "../runs/recorded-answer.ts";

export class CallIds {
  readonly #taken: Set<string>;
  readonly #idByModelId = new Map<string, string>();
  readonly #modelIdById = new Map<string, string>();

  /**
   * `taken` contains the ids of all calls on the path before the answer. These do not depend on the process, so a
   * process that takes the step over assigns the same ids.
   */
  constructor(taken: Iterable<string>) {
    this.#taken = new Set(taken);
  }

  /**
   * Returns the unique id for the id that the model gave to a call. The first call of this method for a model's id
   * assigns the unique id; later calls return the same one.
   */
  assignId(modelId: string): string {
    const assigned = this.#idByModelId.get(modelId);
    if (assigned !== undefined) return assigned;
    let id = modelId;
    for (let count = 2; this.#taken.has(id); count++) id = `${modelId}_${count}`;
    this.#taken.add(id);
    this.#idByModelId.set(modelId, id);
    this.#modelIdById.set(id, modelId);
    return id;
  }

  /**
   * Returns the model's id of the call to which `assignId` gave this unique id; the given id if it was not assigned
   * here.
   */
  modelId(id: string): string {
    return this.#modelIdById.get(id) ?? id;
  }

  /** Returns the answer with unique call ids. */
  renameMessage(answer: Message): Message {
    const parts = answer.parts.map((part): Part => (isClientCall(part) ? this.#renameCall(part) : part));
    const message = Object.assign(copyObject(answer), { parts });
    const invalid = message.metadata?.invalidToolCalls;
    if (message.metadata === undefined || invalid === undefined) return message;
    const invalidToolCalls = invalid.map((each) => {
      const toolCallId = this.#idByModelId.get(each.toolCallId) ?? each.toolCallId;
      return Object.assign(copyObject(each), { toolCallId });
    });
    message.metadata = Object.assign(copyObject(message.metadata), { invalidToolCalls });
    return message;
  }

  /**
   * Returns a delta with unique call ids, for readers of the events. Most deltas contain only strings and numbers; such
   * a delta is returned itself if its call id does not change. A delta with objects is always copied, because the
   * assembled answer shares these objects and a reader could change them.
   */
  renameDelta(delta: Delta): Delta {
    const { kind, payload } = delta;
    if (kind === "tool_call_start" && payload.executor !== "provider") this.assignId(payload.toolCallId);
    const modelId = "toolCallId" in payload ? payload.toolCallId : undefined;
    const id = modelId === undefined ? undefined : this.#idByModelId.get(modelId);
    const isRenamed = id !== undefined && id !== modelId;
    if (isFlat(payload) && !isRenamed) return delta;
    const copy = { ...delta, payload: copyJson(payload) } as Delta;
    if (isRenamed) Object.assign(copy.payload, { toolCallId: id });
    else if (copy.kind === "part" && isClientCall(copy.payload.value)) {
      copy.payload.value = this.#renameCall(copy.payload.value);
    }
    return copy;
  }

  #renameCall(call: ToolCallPart): ToolCallPart {
    const toolCallId = this.assignId(call.toolCallId);
    return toolCallId === call.toolCallId ? call : Object.assign(copyObject(call), { toolCallId });
  }
}

/** True if a payload contains no object. The function allocates nothing, because it runs for every delta. */
function isFlat(payload: Delta["payload"]): boolean {
  for (const key in payload) if (typeof payload[key as keyof typeof payload] === "object") return false;
  return true;
}

/** Returns the ids of all tool calls, including calls that the provider executes. */
export function readCallIds(messages: readonly Message[]): Set<string> {
  return new Set(
    messages.flatMap(({ parts }) => parts.flatMap((part) => (part.type === "tool-call" ? [part.toolCallId] : []))),
  );
}
