// The ids of a thread's calls. Some servers count anew in each answer (`call_0`, `call_1`), and providers take an id only
// once: a call whose id the thread has already goes by another one. What a run logs keeps the ids as the model gave them.
import { copyObject } from "../model/json.ts";
import type { Delta, Message, Part, ToolCallPart } from "../model/index.ts";
import { copyOf, isClientCall } from "./record.ts";

export class CallIds {
  readonly #taken: Set<string>;
  readonly #owns = new Map<string, string>();
  readonly #givens = new Map<string, string>();

  /** `taken` are those on the path that the answer follows: whoever reads the step again comes to the same ids. */
  constructor(taken: Iterable<string>) {
    this.#taken = new Set(taken);
  }

  /** The id that a call goes by. */
  own(given: string): string {
    const known = this.#owns.get(given);
    if (known !== undefined) return known;
    let own = given;
    for (let count = 2; this.#taken.has(own); count++) own = `${given}_${count}`;
    this.#taken.add(own);
    this.#owns.set(given, own);
    this.#givens.set(own, given);
    return own;
  }

  /** The id that the model gave. */
  given(own: string): string {
    return this.#givens.get(own) ?? own;
  }

  /** The answer with the ids that its calls go by. */
  rename(answer: Message): Message {
    const parts = answer.parts.map((part): Part => (isClientCall(part) ? this.#renamed(part) : part));
    const message = Object.assign(copyObject(answer), { parts });
    const invalid = message.metadata?.invalidToolCalls;
    if (message.metadata === undefined || invalid === undefined) return message;
    const invalidToolCalls = invalid.map((each) => {
      const toolCallId = this.#owns.get(each.toolCallId) ?? each.toolCallId;
      return Object.assign(copyObject(each), { toolCallId });
    });
    message.metadata = Object.assign(copyObject(message.metadata), { invalidToolCalls });
    return message;
  }

  /**
   * A delta for readers, with the ids that calls go by. Most hold nothing but texts and numbers, which the answer has taken
   * by now, and are shown as they are; the answer shares what others hold, so that readers get that as a copy.
   */
  show(delta: Delta): Delta {
    const { kind, payload } = delta;
    if (kind === "tool_call_start" && payload.executor !== "provider") this.own(payload.toolCallId);
    const given = "toolCallId" in payload ? payload.toolCallId : undefined;
    const own = given === undefined ? undefined : this.#owns.get(given);
    const isRenamed = own !== undefined && own !== given;
    if (isFlat(payload) && !isRenamed) return delta;
    // The same delta, but for the ids.
    const shown = { ...delta, payload: copyOf(payload) } as Delta;
    if (isRenamed) Object.assign(shown.payload, { toolCallId: own });
    else if (shown.kind === "part" && isClientCall(shown.payload.value)) {
      shown.payload.value = this.#renamed(shown.payload.value);
    }
    return shown;
  }

  #renamed(call: ToolCallPart): ToolCallPart {
    const toolCallId = this.own(call.toolCallId);
    return toolCallId === call.toolCallId ? call : Object.assign(copyObject(call), { toolCallId });
  }
}

/** Whether a payload holds no object. No list is made of its values: this runs for every delta. */
function isFlat(payload: Delta["payload"]): boolean {
  for (const key in payload) if (typeof payload[key as keyof typeof payload] === "object") return false;
  return true;
}

/** Of all calls, whoever executes them. */
export function idsOfCalls(messages: readonly Message[]): Set<string> {
  return new Set(
    messages.flatMap(({ parts }) => parts.flatMap((part) => (part.type === "tool-call" ? [part.toolCallId] : []))),
  );
}
