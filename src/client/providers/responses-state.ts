// What the Responses API stores, and what follows from it: reasoning comes encrypted where nothing is stored (B13), and
// what is stored need not be sent again (B14).
import type { LossTable } from "../../dialects/index.ts";
import type { Loss, Message, Request } from "../../model/index.ts";
import type { HttpProvider } from "../types.ts";
import type { Plan } from "./plan-parts.ts";
import { addResidue, plain, residueOf, takeResidue } from "./plan-parts.ts";

const DIALECT = "openai-responses";
const ENCRYPTED = "reasoning.encrypted_content";
/** Models that are known to reason and to encrypt it; others refuse to be asked. */
const REASONS = /(?:^|\/)(?:o\d|codex|gpt-(?:[5-9]|\d\d)(?!.*-chat)|grok-(?:3-mini|[4-9])(?!.*non-reasoning))/;
/** Whose models all encrypt their reasoning where they reason. */
const OWN: ReadonlySet<string | undefined> = new Set([undefined, "openai", "azure", "xai"]);

export function planResponses(asked: Request, model: string, name: string, config: HttpProvider): Plan {
  const request = withStore(asked, model, config);
  const answer = config.state === "previous-response" && mayGoOn(request) ? lastAnswer(request, name) : undefined;
  if (answer === undefined) return plain(request);
  const first = request.messages.findIndex((message) => !isInstruction(message));
  const isImplied = (index: number): boolean => index >= first && index <= answer.index;
  const messages = request.messages.filter((_, index) => !isImplied(index));
  const told = [...request.messages.keys()].filter(isImplied).map(implied);
  const skipped = { first, count: told.length };
  return {
    request: addResidue({ ...request, messages }, DIALECT, { previous_response_id: answer.id }),
    losses: (encoded) => [...told, ...encoded.map((loss) => ({ ...loss, path: originalPath(loss.path, skipped) }))],
  };
}

/** Says what the settings say about storing, where the request does not, and asks for encrypted reasoning (B13). */
function withStore(request: Request, model: string, { store, vendor }: HttpProvider): Request {
  const said = residueOf(request, DIALECT)["store"] ?? residueOf(request, "openai-chat")["store"];
  const told = said === undefined && store !== undefined ? addResidue(request, DIALECT, { store }) : request;
  if ((said ?? store) !== false || !isReasoning(request, model, vendor)) return told;
  const [rest, include] = takeResidue(told, DIALECT, "include");
  const list = Array.isArray(include) ? include : [];
  return addResidue(rest, DIALECT, { include: list.includes(ENCRYPTED) ? list : [...list, ENCRYPTED] });
}

function isReasoning({ reasoning = {} }: Request, model: string, vendor: string | undefined): boolean {
  const { effort, summary } = reasoning;
  if (effort === "none") return false;
  return REASONS.test(model) || (OWN.has(vendor) && (effort !== undefined || summary !== undefined));
}

/** Whether there is something to go on from: it is stored, and the request names nothing else itself. */
function mayGoOn(request: Request): boolean {
  const { store, previous_response_id: previous = null, conversation = null } = residueOf(request, DIALECT);
  return store !== false && previous === null && conversation === null;
}

/** The last answer that this provider gave and that is whole. */
function lastAnswer({ messages }: Request, name: string): { index: number; id: string } | undefined {
  const index = messages.findLastIndex(({ role, metadata }) => role === "assistant" && metadata?.provider === name);
  const { responseId: id, interrupted } = messages[index]?.metadata ?? {};
  return typeof id === "string" && id !== "" && interrupted !== true ? { index, id } : undefined;
}

/** Instructions hold for one request only; everything else that was said is stored. */
function isInstruction({ role, parts }: Message): boolean {
  return role === "system" && parts.length === 1;
}

/** What the client itself leaves out, in the words of the dialects' declarations. */
export const CLIENT_LOSSES = {
  "stored-already": {
    action: "dropped",
    level: "note",
    says: 'The provider has it as part of its last answer; an edit of it is not seen. Use state "resend" to send it.',
  },
} as const satisfies LossTable;

function implied(index: number): Loss {
  const { action, level, says } = CLIENT_LOSSES["stored-already"];
  return { path: `/messages/${index}`, action, level, code: "stored-already", message: says };
}

/** The encoder saw fewer messages than the caller has. */
function originalPath(path: string, skipped: { first: number; count: number }): string {
  return path.replace(/^\/messages\/(\d+)/, (_, digits: string) => {
    const index = Number(digits);
    return `/messages/${index < skipped.first ? index : index + skipped.count}`;
  });
}
