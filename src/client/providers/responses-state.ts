// What the Responses API stores, and what follows from it: reasoning comes encrypted where nothing is stored (B13), and
// what is stored need not be sent again (B14).
import type { LossTable } from "../../dialects/index.ts";
import type { Extra, Loss, Message, Metadata, ModelRequest } from "../../model/index.ts";
import type { HttpProvider } from "../types.ts";
import type { Plan } from "./plan-parts.ts";
import { addResidue, plain, residueOf, takeResidue, withForm } from "./plan-parts.ts";

const DIALECT = "openai-responses";
const ENCRYPTED = "reasoning.encrypted_content";
/**
 * Models that are known to reason and to encrypt it; others refuse to be asked. What stands before may be whose they are,
 * what they were tuned from (`ft:o4-mini:…`) or what somebody calls a deployment.
 */
const REASONS =
  /(?:^|[/:._-])(?:o\d|codex|gpt-(?!35)(?:[5-9]|\d\d)(?!.*-chat)|grok-(?:3-mini|[4-9])(?!.*non-reasoning))/i;
/** Whose models all encrypt their reasoning where they reason. */
const OWN: ReadonlySet<string | undefined> = new Set([undefined, "openai", "azure", "xai"]);

export function planResponses(asked: ModelRequest, model: string, name: string, config: HttpProvider): Plan {
  const isStored = storeOf(asked, config) !== false;
  const request = withStore(asked, model, config);
  if (config.state !== "previous-response" || !isStored) return plain(request);
  const answer = namesNothing(request) ? lastAnswer(request, name) : undefined;
  if (answer === undefined) return { ...plain(request), facts: storedFacts };
  const { messages } = request;
  const first = messages.findIndex((message) => !isInstruction(message));
  const isImplied = (index: number): boolean => index >= first && index <= answer.index;
  const told = [...messages.keys()].filter(isImplied).map(implied);
  const skipped = { first, count: told.length };
  const next = [...messages.slice(0, first), ...asItems(messages.slice(answer.index + 1))];
  return {
    request: addResidue({ ...request, messages: next }, DIALECT, { previous_response_id: answer.id }),
    losses: (encoded) => [...told, ...encoded.map((loss) => ({ ...loss, path: originalPath(loss.path, skipped) }))],
    facts: storedFacts,
  };
}

/** Some accounts store nothing, whatever they are asked; the answer says so. */
function storedFacts(said: Extra | undefined): Metadata {
  return said?.[DIALECT]?.["store"] === false ? {} : { stored: true };
}

/** What a request says about storing, in either way of asking OpenAI. */
function saidStore(request: ModelRequest): unknown {
  const said = residueOf(request, DIALECT)["store"];
  return said === undefined ? residueOf(request, "openai-chat")["store"] : said;
}

/** What holds: where the request says nothing, the settings. */
function storeOf(request: ModelRequest, { store }: HttpProvider): unknown {
  const said = saidStore(request);
  return said === undefined ? store : said;
}

/** Says what the settings say about storing, where the request does not, and asks for encrypted reasoning (B13). */
function withStore(request: ModelRequest, model: string, config: HttpProvider): ModelRequest {
  const store = storeOf(request, config);
  const { store: own, vendor } = config;
  const isSaid = own === undefined || saidStore(request) !== undefined;
  const told = isSaid ? request : addResidue(request, DIALECT, { store: own });
  if (store !== false || !isReasoning(request, model, vendor)) return told;
  const [rest, include] = takeResidue(told, DIALECT, "include");
  const list = Array.isArray(include) ? include : [];
  return addResidue(rest, DIALECT, { include: list.includes(ENCRYPTED) ? list : [...list, ENCRYPTED] });
}

function isReasoning({ reasoning = {} }: ModelRequest, model: string, vendor: string | undefined): boolean {
  const { effort, summary } = reasoning;
  if (effort === "none") return false;
  return REASONS.test(model) || (OWN.has(vendor) && (effort !== undefined || summary !== undefined));
}

/** Whether the request leaves it to us what to go on from. */
function namesNothing(request: ModelRequest): boolean {
  const { previous_response_id: previous = null, conversation = null } = residueOf(request, DIALECT);
  return previous === null && conversation === null;
}

/** The last answer that this provider gave, where it is whole and stored, and something has been said since. */
function lastAnswer({ messages }: ModelRequest, name: string): { index: number; id: string } | undefined {
  const index = messages.findLastIndex(({ role, metadata }) => role === "assistant" && metadata?.provider === name);
  const { responseId: id, interrupted, stored } = messages[index]?.metadata ?? {};
  if (typeof id !== "string" || id === "" || stored !== true || interrupted === true) return undefined;
  return index < messages.length - 1 ? { index, id } : undefined;
}

/** Leading system text goes out as instructions: they hold for one request only; everything else is stored. */
function isInstruction(message: Message): boolean {
  const [part] = message.parts;
  if (message.role !== "system" || message.parts.length !== 1 || part?.type !== "text") return false;
  return [message, part].every(({ extra }) => extra?.[DIALECT] === undefined);
}

/** What was said after an answer is stored with the next one, system text too: it must not become instructions. */
function asItems(messages: readonly Message[]): Message[] {
  const end = messages.findIndex((message) => !isInstruction(message));
  const count = end === -1 ? messages.length : end;
  return messages.map((message, index) => (index < count ? withForm(message, DIALECT, "in", "input") : message));
}

/** What the client itself leaves out, in the words of the dialects' declarations. */
export const CLIENT_LOSSES = {
  "stored-already": {
    action: "dropped",
    level: "note",
    message:
      'The provider has it as part of its last answer; an edit of it is not seen, and what is left out stays part of what it remembers. Use state "resend" to send it.',
  },
} as const satisfies LossTable;

function implied(index: number): Loss {
  const { action, level, message } = CLIENT_LOSSES["stored-already"];
  return { path: `/messages/${index}`, action, level, code: "stored-already", message };
}

/** The encoder saw fewer messages than the caller has. */
function originalPath(path: string, skipped: { first: number; count: number }): string {
  return path.replace(/^\/messages\/(\d+)/, (_, digits: string) => {
    const index = Number(digits);
    return `/messages/${index < skipped.first ? index : index + skipped.count}`;
  });
}
