// State for encoding one Chat history or one answer, and access to the stored form of values.
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

/** Facts about an encoded call that its result depends on. */
interface ChatEncodedCall {
  name: string;
  isCustom: boolean;
  /** True for the deprecated `function_call`, whose result names the function. */
  isLegacy: boolean;
  /** True if the call was dropped as an approval; its result is dropped, too. */
  isApproval?: true;
}

export interface ChatEncodeState {
  readonly context: EncodeContext<ChatLossCode>;
  readonly dialect: string;
  readonly names: RenameTable;
  readonly vendor: ChatVendor | undefined;
  /** True for an answer to a client: loss paths start at its message instead of a list. */
  readonly isResponse: boolean;
  /** The encoded calls, by id. */
  readonly calls: Map<string, ChatEncodedCall>;
  /** The call that the end of the answer cut off. */
  cutOffCall?: Part | undefined;
}

export function createEncodeState(context: EncodeContext<ChatLossCode>, isResponse = false): ChatEncodeState {
  const vendor = findVendor(context.vendor);
  const names = new RenameTable(vendor?.callIds ?? CALL_IDS, TOOL_NAMES, context);
  return { context, dialect: context.dialect, names, vendor, isResponse, calls: new Map() };
}

/** Enters the path of a part, for losses. */
export function enterPartPath(turn: OutgoingTurn, part: number, { context, isResponse }: ChatEncodeState): void {
  if (!isResponse) return enterPart(turn, part, context);
  context.pathTracker.enter("parts");
  context.pathTracker.enter(part);
}

export function leavePartPath({ context, isResponse }: ChatEncodeState): void {
  context.pathTracker.leave(isResponse ? 2 : 3);
}

/** Returns the wire field that a part was decoded from, if it is not the plain one. */
export function readSourceField(part: WithExtra, state: ChatEncodeState): string | undefined {
  const field = readFormValue(part, "in", state);
  return typeof field === "string" ? field : undefined;
}

/** Returns one entry of the stored form; undefined if the value was plain. */
export function readFormValue(target: WithExtra, key: string, { dialect }: ChatEncodeState): JsonValue | undefined {
  return target.extra === undefined ? undefined : readForm(target, dialect)[key];
}

/** True if a plain field can be filled in: it was not absent on the wire, and no residue has its place. */
export function canFillField(target: WithExtra, field: string, state: ChatEncodeState, inner?: string): boolean {
  const residue = target.extra?.[state.dialect];
  if (residue === undefined) return true;
  const parent = inner === undefined ? residue : residue[inner];
  const absent = readFormValue(target, "absent", state);
  return !(isObject(parent) && Object.hasOwn(parent, field)) && !(Array.isArray(absent) && absent.includes(field));
}
