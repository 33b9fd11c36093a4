// Audio that the model spoke: an answer has it whole, a request repeats it by its id.
import type { JsonObject, JsonValue } from "../../model/json.ts";
import type { AudioPart } from "../../model/parts.ts";
import { keepOthers } from "../kit/openai-reading.ts";
import { isObject } from "../kit/read.ts";
import { isSealFor, storeForm } from "../kit/residue.ts";
import { addSeal, issuerOf, sealOf } from "../kit/seals.ts";
import { carrying, finishPart } from "./finish-part.ts";
import type { Reading } from "./reading.ts";
import type { Writing } from "./writing.ts";
import { isFree, spelling } from "./writing.ts";

const WHOLE = ["data", "transcript", "expires_at"] as const;

/** The part; undefined where the audio has no id. */
export function decodeSpoken(wire: JsonValue, { context, isReply }: Reading): AudioPart | undefined {
  if (!isObject(wire) || typeof wire["id"] !== "string") return undefined;
  const { id, data, transcript } = wire;
  const part: AudioPart = { type: "audio" };
  const known = ["id"];
  if (typeof data === "string") {
    part.data = data;
    addSeal(part, "id", id, context);
    known.push("data");
  } else {
    part.fileId = id;
    part.issuer = issuerOf(context);
  }
  if (typeof transcript === "string") {
    part.transcript = transcript;
    known.push("transcript");
  }
  const has = WHOLE.filter((field) => wire[field] !== undefined);
  // Where it stood tells what it is to have there: what an answer says is no part of a request.
  if (isReply && has.length < WHOLE.length) storeForm(part, context.dialect, "said", has);
  else if (!isReply && Object.keys(wire).length > 1) storeForm(part, context.dialect, "has", has);
  keepOthers(part, wire, known, context);
  return part;
}

const CARRIED = carrying("data", "transcript", "fileId", "issuer");

/** What a message says about audio; undefined where there is none that can be told, which is reported. */
export function encodeSpoken(part: AudioPart, writing: Writing): JsonObject | undefined {
  const { context, isReply } = writing;
  const { report } = context;
  const { fileId, issuer, data, transcript } = part;
  const isOwn = fileId !== undefined && (issuer === undefined || isSealFor(issuer, context));
  const id = sealOf(part, "id", context) ?? (isOwn ? fileId : undefined);
  if (id === undefined && (!isReply || data === undefined)) {
    report.addLoss(data === undefined ? (fileId === undefined ? "media-elsewhere" : "file-id") : "part-unsayable");
    return undefined;
  }
  if (id === undefined) report.addLoss("field-filled", "fileId");
  else if (fileId !== undefined && fileId !== id) report.addLoss("field-unsaid", "fileId", "Its seal says another id.");
  const wire: JsonObject = { id: id ?? "" };
  const form = spelling(part, isReply ? "said" : "has", writing);
  const has: readonly JsonValue[] = Array.isArray(form) ? form : isReply ? WHOLE : [];
  const values: Partial<Record<string, JsonValue>> = { data, transcript };
  for (const field of WHOLE) {
    const value = values[field];
    if (!has.includes(field)) {
      if (value !== undefined) report.addLoss("audio-by-id", field);
    } else if (value !== undefined) wire[field] = value;
    else if (isFree(part, field, writing)) {
      wire[field] = field === "expires_at" ? 0 : "";
      report.addLoss("field-filled", field);
    }
  }
  const isKept = isReply || Array.isArray(form);
  return finishPart(wire, isKept ? part : withoutResidue(part, writing), CARRIED, writing, undefined, "id");
}

/** Audio as a request repeats it: what an answer said beside the id stays behind. */
function withoutResidue(part: AudioPart, { context, dialect }: Writing): AudioPart {
  const { [dialect]: residue, ...others } = part.extra ?? {};
  for (const key in residue) if (key !== "$form") context.report.addLoss("audio-by-id", ["extra", dialect, key]);
  return { ...part, extra: others };
}
