// Defines the state for encoding one Chat history or one Chat response, and reads the stored form of values.
import type { JsonValue } from "../../model/json/index.ts";
import type { Part, WithExtra } from "../../model/parts.ts";
import type { EncodeContext } from "../dialect.ts";
import type { NameRule } from "../kit/tools/tool-renames.ts";
import { RenameTable } from "../kit/tools/tool-renames.ts";
import { isObject } from "../kit/fields/read-wire.ts";
import { readForm } from "../kit/residue/residue.ts";
import type { OutgoingTurn } from "../kit/history/turn.ts";
import { enterPart } from "../kit/history/turn.ts";
import type { ChatLossCode } from "./losses.ts";
import type { ChatVendor } from "./vendors.ts";
import { findVendor } from "./vendors.ts";

const CALL_IDS: NameRule = { accepted: /^.{1,40}$/s, invalidCharacters: /[^!-~]/g, maxLength: 40 };
const TOOL_NAMES: NameRule = { accepted: /^[a-zA-Z0-9_-]{1,64}$/, invalidCharacters: /[^a-zA-Z0-9_-]/g, maxLength: 64 };

/** Properties of an encoded call that the encoding of its result depends on. */
interface ChatEncodedCall {
  name: string;
  isCustom: boolean;
  /** True for a deprecated `function_call`, which has no id. Its result names the function instead. */
  isLegacy: boolean;
  /** True if the call requests an approval, which Chat does not have. The call and its result are dropped. */
  isApproval?: true;
}

export interface ChatEncodeState {
  readonly context: EncodeContext<ChatLossCode>;
  readonly dialect: string;
  readonly names: RenameTable;
  readonly vendor: ChatVendor | undefined;
  /** True for a response. Its loss paths start at one message instead of at a list of messages. */
  readonly isResponse: boolean;
  /** The encoded calls, by canonical call id. */
  readonly calls: Map<string, ChatEncodedCall>;
  /** The last call of an answer that ended before the call was complete; undefined if no call was cut off. */
  cutOffCall?: Part | undefined;
}

export function createEncodeState(context: EncodeContext<ChatLossCode>, isResponse = false): ChatEncodeState {
  const vendor = findVendor(context.vendor);
  const names = new RenameTable(vendor?.callIds ?? CALL_IDS, TOOL_NAMES, context);
  return { context, dialect: context.dialect, names, vendor, isResponse, calls: new Map() };
}

/** Makes the path tracker point to a part, so that losses are reported at the part. */
export function enterPartPath(turn: OutgoingTurn, part: number, { context, isResponse }: ChatEncodeState): void {
  if (!isResponse) return enterPart(turn, part, context);
  context.pathTracker.enter("parts");
  context.pathTracker.enter(part);
}

/** Makes the path tracker leave the part that `enterPartPath` entered. */
export function leavePartPath({ context, isResponse }: ChatEncodeState): void {
  context.pathTracker.leave(isResponse ? 2 : 3);
}

/** Returns the wire field that a part was decoded from; undefined if it is the default field for the part. */
export function readSourceField(part: WithExtra, state: ChatEncodeState): string | undefined {
  const field = readFormValue(part, "in", state);
  return typeof field === "string" ? field : undefined;
}

/** Returns one entry of the form that the decoder stored; undefined if the wire value had its default spelling. */
export function readFormValue(target: WithExtra, key: string, { dialect }: ChatEncodeState): JsonValue | undefined {
  return target.extra === undefined ? undefined : readForm(target, dialect)[key];
}

/**
 * True if the encoder may write a default value for a field: the field was not absent in the decoded payload, and no
 * residue restores it.
 */
export function canFillField(target: WithExtra, field: string, state: ChatEncodeState, inner?: string): boolean {
  const residue = target.extra?.[state.dialect];
  if (residue === undefined) return true;
  const parent = inner === undefined ? residue : residue[inner];
  const absent = readFormValue(target, "absent", state);
  return !(isObject(parent) && Object.hasOwn(parent, field)) && !(Array.isArray(absent) && absent.includes(field));
}
