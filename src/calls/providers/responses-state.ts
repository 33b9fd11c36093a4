// Applies the storage settings of the Responses API: without storage, reasoning is requested in encrypted form (B13);
// with storage, messages that the provider has stored are not sent again (B14).
import type { LossTable } from "../../dialects/index.ts";
import type { Extra, Loss, Message, Metadata, ModelRequest } from "../../model/index.ts";
import type { HttpProvider } from "../types.ts";
import type { PlannedRequest } from "./planned-request.ts";
import { addResidue, readResidue, removeResidueField, planUnchanged, withForm } from "./planned-request.ts";

const DIALECT = "openai-responses";
const ENCRYPTED_REASONING = "reasoning.encrypted_content";
/**
 * Matches models that reason and can encrypt their reasoning; other models reject a request for encrypted reasoning.
 * The name may begin with an owner, a fine-tuning origin (`ft:o4-mini:…`) or the name of a deployment.
 */
const REASONING_MODELS =
  /(?:^|[/:._-])(?:o\d|codex|gpt-(?!35)(?:[5-9]|\d\d)(?!.*-chat)|grok-(?:3-mini|[4-9])(?!.*non-reasoning))/i;
/** Vendors whose reasoning models can all encrypt their reasoning; undefined stands for no vendor. */
const ENCRYPTING_VENDORS: ReadonlySet<string | undefined> = new Set([undefined, "openai", "azure", "xai"]);

export function planResponsesRequest(
  request: ModelRequest,
  model: string,
  name: string,
  config: HttpProvider,
): PlannedRequest {
  const isStored = resolveStore(request, config) !== false;
  const withStorage = withStore(request, model, config);
  if (config.state !== "previous-response" || !isStored) return planUnchanged(withStorage);
  const answer = leavesStateToClient(withStorage) ? findStoredAnswer(withStorage, name) : undefined;
  if (answer === undefined) return { ...planUnchanged(withStorage), answerMetadata: readStoredMetadata };
  const { messages } = withStorage;
  const first = messages.findIndex((message) => !isInstruction(message));
  const isSkipped = (index: number): boolean => index >= first && index <= answer.index;
  const ownLosses = [...messages.keys()].filter(isSkipped).map(storedAlreadyLoss);
  const skipped = { first, count: ownLosses.length };
  const next = [...messages.slice(0, first), ...toInputItems(messages.slice(answer.index + 1))];
  return {
    request: addResidue({ ...withStorage, messages: next }, DIALECT, { previous_response_id: answer.id }),
    losses: (encoded) => [...ownLosses, ...encoded.map((loss) => ({ ...loss, path: restorePath(loss.path, skipped) }))],
    answerMetadata: readStoredMetadata,
  };
}

/**
 * Returns metadata that marks an answer as stored. Some accounts never store answers; their answers contain `store:
 * false`.
 */
function readStoredMetadata(extra: Extra | undefined): Metadata {
  return extra?.[DIALECT]?.["store"] === false ? {} : { stored: true };
}

/** Returns the `store` field of a request, from the residue of either OpenAI dialect. */
function readRequestStore(request: ModelRequest): unknown {
  const store = readResidue(request, DIALECT)["store"];
  return store === undefined ? readResidue(request, "openai-chat")["store"] : store;
}

/** Returns the request's `store` field, or the provider's setting if the request has none. */
function resolveStore(request: ModelRequest, config: HttpProvider): unknown {
  const store = readRequestStore(request);
  return store === undefined ? config.store : store;
}

/**
 * Adds the provider's `store` setting if the request has none. Requests encrypted reasoning if the answer is not stored
 * and the model reasons (B13).
 */
function withStore(request: ModelRequest, model: string, config: HttpProvider): ModelRequest {
  const store = resolveStore(request, config);
  const { store: configured, vendor } = config;
  const isComplete = configured === undefined || readRequestStore(request) !== undefined;
  const withSetting = isComplete ? request : addResidue(request, DIALECT, { store: configured });
  if (store !== false || !isReasoning(request, model, vendor)) return withSetting;
  const [rest, include] = removeResidueField(withSetting, DIALECT, "include");
  const list = Array.isArray(include) ? include : [];
  return addResidue(rest, DIALECT, {
    include: list.includes(ENCRYPTED_REASONING) ? list : [...list, ENCRYPTED_REASONING],
  });
}

function isReasoning({ reasoning = {} }: ModelRequest, model: string, vendor: string | undefined): boolean {
  const { effort, summary } = reasoning;
  if (effort === "none") return false;
  if (REASONING_MODELS.test(model)) return true;
  return ENCRYPTING_VENDORS.has(vendor) && (effort !== undefined || summary !== undefined);
}

/**
 * True if the request contains neither `previous_response_id` nor `conversation`, so that Koine may choose the previous
 * response.
 */
function leavesStateToClient(request: ModelRequest): boolean {
  const { previous_response_id: previous = null, conversation = null } = readResidue(request, DIALECT);
  return previous === null && conversation === null;
}

/**
 * Returns the last answer of this provider in the history; undefined if that answer is incomplete, is not stored, or is
 * the last message.
 */
function findStoredAnswer({ messages }: ModelRequest, name: string): { index: number; id: string } | undefined {
  const index = messages.findLastIndex(({ role, metadata }) => role === "assistant" && metadata?.provider === name);
  const { responseId: id, interrupted, stored } = messages[index]?.metadata ?? {};
  if (typeof id !== "string" || id === "" || stored !== true || interrupted === true) return undefined;
  return index < messages.length - 1 ? { index, id } : undefined;
}

/** True for a system message that is encoded as `instructions`, which the provider does not store. */
function isInstruction(message: Message): boolean {
  const [part] = message.parts;
  if (message.role !== "system" || message.parts.length !== 1 || part?.type !== "text") return false;
  return [message, part].every(({ extra }) => extra?.[DIALECT] === undefined);
}

/**
 * Marks the system messages that directly follow the stored answer as input items. As `instructions`, they would not be
 * stored and would be missing from the next request.
 */
function toInputItems(messages: readonly Message[]): Message[] {
  const end = messages.findIndex((message) => !isInstruction(message));
  const count = end === -1 ? messages.length : end;
  return messages.map((message, index) => (index < count ? withForm(message, DIALECT, "in", "input") : message));
}

/** Losses that the client itself causes, declared like the losses of the dialects. */
export const CLIENT_LOSSES = {
  "stored-already": {
    action: "dropped",
    level: "note",
    message:
      'The provider stored this message with its last answer, so it was not sent again; edits and deletions have no effect. Use state "resend" to send it.',
  },
} as const satisfies LossTable;

function storedAlreadyLoss(index: number): Loss {
  const { action, level, message } = CLIENT_LOSSES["stored-already"];
  return { path: `/messages/${index}`, action, level, code: "stored-already", message };
}

/**
 * Converts a path in the shortened request to the path in the caller's request, which includes the skipped messages.
 */
function restorePath(path: string, skipped: { first: number; count: number }): string {
  return path.replace(/^\/messages\/(\d+)/, (_, digits: string) => {
    const index = Number(digits);
    return `/messages/${index < skipped.first ? index : index + skipped.count}`;
  });
}
