// Decodes and encodes the assistant's audio. A response contains the audio data; a request refers to the audio by its
// id only.
import type { JsonObject, JsonValue } from "../../../model/json/index.ts";
import type { AudioPart } from "../../../model/parts.ts";
import { storeUnknownFields } from "../../openai/unknown-fields.ts";
import { isObject } from "../../kit/fields/read-wire.ts";
import { storeForm } from "../../kit/residue/residue.ts";
import { isSealFor } from "../../kit/seals/seals.ts";
import { addSeal, toIssuer, findSealValue } from "../../kit/seals/seals.ts";
import { supportedFields, finishPart } from "./finish-part.ts";
import type { ChatDecodeState } from "../decode-state.ts";
import type { ChatEncodeState } from "../encode-state.ts";
import { canFillField, readFormValue } from "../encode-state.ts";

const RESPONSE_FIELDS = ["data", "transcript", "expires_at"] as const;

/** Returns the decoded audio of a message; undefined if the wire value has no id. */
export function decodeAudioOutput(wire: JsonValue, { context, isResponse }: ChatDecodeState): AudioPart | undefined {
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
    part.issuer = toIssuer(context);
  }
  if (typeof transcript === "string") {
    part.transcript = transcript;
    known.push("transcript");
  }
  const presentFields = RESPONSE_FIELDS.filter((field) => wire[field] !== undefined);
  // The form lists the fields that the wire object had. Its name is `said` for a response and `has` for a request, so
  // that audio decoded from a response is sent in a request by its id alone, without the listed fields.
  if (isResponse && presentFields.length < RESPONSE_FIELDS.length)
    storeForm(part, context.dialect, "said", presentFields);
  else if (!isResponse && Object.keys(wire).length > 1) storeForm(part, context.dialect, "has", presentFields);
  storeUnknownFields(part, wire, known, context);
  return part;
}

const SUPPORTED = supportedFields("data", "transcript", "fileId", "issuer");

/**
 * Encodes the assistant's audio. Returns undefined and reports a loss if the part has no id that the target can read
 * and, in a response, no data either.
 */
export function encodeAudioOutput(part: AudioPart, state: ChatEncodeState): JsonObject | undefined {
  const { context, isResponse } = state;
  const { report } = context;
  const { fileId, issuer, data, transcript } = part;
  const isOwnFile = fileId !== undefined && (issuer === undefined || isSealFor(issuer, context));
  const id = findSealValue(part, "id", context) ?? (isOwnFile ? fileId : undefined);
  if (id === undefined && (!isResponse || data === undefined)) {
    report.addLoss(
      data === undefined
        ? fileId === undefined
          ? "media-source-unsupported"
          : "file-id-not-portable"
        : "part-unsupported",
    );
    return undefined;
  }
  if (id === undefined) report.addLoss("field-synthesized", "fileId");
  else if (fileId !== undefined && fileId !== id)
    report.addLoss("field-unsupported", "fileId", "The seal of this audio has another id, which was sent.");
  const wire: JsonObject = { id: id ?? "" };
  const form = readFormValue(part, isResponse ? "said" : "has", state);
  const presentFields: readonly JsonValue[] = Array.isArray(form) ? form : isResponse ? RESPONSE_FIELDS : [];
  const values: Partial<Record<string, JsonValue>> = { data, transcript };
  for (const field of RESPONSE_FIELDS) {
    const value = values[field];
    if (!presentFields.includes(field)) {
      if (value !== undefined) report.addLoss("audio-sent-by-id", field);
    } else if (value !== undefined) wire[field] = value;
    else if (canFillField(part, field, state)) {
      wire[field] = field === "expires_at" ? 0 : "";
      report.addLoss("field-synthesized", field);
    }
  }
  const restoresResidue = isResponse || Array.isArray(form);
  return finishPart(wire, restoresResidue ? part : withoutResidue(part, state), SUPPORTED, state, undefined, "id");
}

/** Returns the part without its Chat residue, which a request must not repeat, and reports each dropped field. */
function withoutResidue(part: AudioPart, { context, dialect }: ChatEncodeState): AudioPart {
  const { [dialect]: residue, ...otherResidue } = part.extra ?? {};
  for (const key in residue) if (key !== "$form") context.report.addLoss("audio-sent-by-id", ["extra", dialect, key]);
  return { ...part, extra: otherResidue };
}
