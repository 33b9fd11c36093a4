// Defines the routes that translate a payload, list the dialects, and list the possible losses.
import type { WireChunk, DialectId } from "../../dialects/index.ts";
import { CAPABILITIES } from "../../dialects/dialect.ts";
import { detectDialect, dialect, dialects, transcode, translate } from "../../dialects/index.ts";
import type { Loss } from "../../model/index.ts";
import { LOSS_ACTIONS, LOSS_LEVELS } from "../../model/index.ts";
import { boolean, integer, json, list, object, string, oneOf } from "../../model/validation/shape.ts";
import type { Infer } from "../../model/validation/shape.ts";
import { ServerError } from "../errors.ts";
import type { Route, Services } from "../types.ts";
import { readQueryChoice, readBody } from "./read-request.ts";
import { jsonReply, defineRoute, describeReply, textParameter } from "./define-route.ts";
import { decodePayload } from "./decode-payload.ts";

const PAYLOAD_KINDS = ["request", "response", "stream", "error", "messages"] as const;
type TranslatableKind = (typeof PAYLOAD_KINDS)[number];

const TRANSLATION = object(
  { to: oneOf(...dialects), payload: json },
  {
    from: oneOf(...dialects),
    kind: oneOf(...PAYLOAD_KINDS),
    model: string,
    address: object({}, { model: string, stream: boolean }, { open: true }),
    status: integer,
    repair: boolean,
  },
);
type TranslateBody = Infer<typeof TRANSLATION>;

export function translateRoutes({ config }: Services): Route[] {
  return [
    defineRoute("POST", "/v1/translate", TRANSLATE, async (request) => {
      const body = await readBody(request, config.limits, TRANSLATION);
      const { from, kind } = detectPayload(body);
      const translated = decodePayload("/payload", () => translatePayload(body, from, kind));
      return jsonReply(200, { dialect: body.to, from, kind, ...translated });
    }),
    defineRoute("GET", "/v1/dialects", DIALECTS, () =>
      jsonReply(200, {
        dialects: dialects.map((id) => {
          const { title, supports } = dialect(id);
          return { id, title, supports: [...supports] };
        }),
      }),
    ),
    defineRoute("GET", "/v1/losses", LOSSES, (request) => {
      const only = readQueryChoice(request, "dialect", dialects);
      const targets = only === undefined ? dialects : [only];
      return jsonReply(200, { losses: targets.flatMap(listLosses) });
    }),
  ];
}

interface TranslatedPayload {
  wire: unknown;
  losses: readonly Loss[];
}

function translatePayload(
  { to, payload, model, address, status, repair }: TranslateBody,
  from: DialectId,
  kind: TranslatableKind,
): TranslatedPayload {
  if (kind === "messages") return dialect(to).encodeMessages(dialect(from).decodeMessages(payload));
  // `translate` accepts a stream only as a list of events, so the text of a stream is transcoded instead.
  if (kind === "stream" && typeof payload === "string") {
    const transcoder = transcode(from, to);
    const chunks = [transcoder.push(payload), transcoder.end()];
    return { wire: joinWireChunks(chunks), losses: transcoder.losses };
  }
  const { names: _, ...translated } = translate({
    from,
    to,
    kind,
    wire: payload,
    ...(model !== undefined && { model }),
    ...(address !== undefined && { address }),
    ...(status !== undefined && { status }),
    ...(repair !== undefined && { repair }),
  });
  return translated;
}

/** Joins the chunks of a stream to one text. Binary frames are encoded as base64, because JSON cannot contain bytes. */
function joinWireChunks(chunks: readonly WireChunk[]): string {
  const bytes = chunks.filter((chunk) => typeof chunk !== "string");
  return bytes.length === 0 ? chunks.join("") : Buffer.concat(bytes).toString("base64");
}

/**
 * Returns the dialect and kind of the payload. If the body does not contain them, they are detected. Throws if they
 * cannot be detected; for example, a list may contain messages or events.
 */
function detectPayload({ from, kind, payload }: TranslateBody): { from: DialectId; kind: TranslatableKind } {
  if (from !== undefined && kind !== undefined) return { from, kind };
  const events = Array.isArray(payload) ? payload[0] : undefined;
  const detected = detectDialect(payload) ?? (events === undefined ? undefined : detectDialect(events));
  const resolvedDialect = from ?? detected?.dialect;
  const resolvedKind =
    kind ?? (from === undefined || detected?.dialect === from ? detected?.kind : dialect(from).detectKind(payload));
  if (resolvedDialect !== undefined && resolvedKind !== undefined) return { from: resolvedDialect, kind: resolvedKind };
  const missing = resolvedDialect === undefined ? "from" : "kind";
  const choices = missing === "from" ? dialects : PAYLOAD_KINDS;
  const message = `The ${missing === "from" ? "dialect" : "kind"} of the payload cannot be detected: set "${missing}" to one of ${choices.join(", ")}.`;
  throw new ServerError("invalid-request", message, { path: `/${missing}` });
}

function listLosses(id: DialectId): object[] {
  return Object.entries(dialect(id).losses).map(([code, { action, level, message }]) => ({
    dialect: id,
    code,
    action,
    level,
    message,
  }));
}

const TRANSLATE = {
  id: "translate",
  summary:
    "Translates a payload to another dialect and reports all losses. A stream is a list of events, or its text; binary frames are returned as base64.",
  body: TRANSLATION,
  replies: { 200: describeReply("The payload in the other dialect.", "Translated") },
} as const;
const DIALECTS = {
  id: "listDialects",
  summary: "The dialects, and the payload kinds that each supports.",
  replies: {
    200: describeReply(
      "The dialects.",
      object({ dialects: list(object({ id: string, title: string, supports: list(oneOf(...CAPABILITIES)) }, {})) }, {}),
    ),
  },
} as const;
const LOSSES = {
  id: "listLosses",
  summary: "Every loss that encoding into a dialect can cause.",
  query: { dialect: { ...textParameter("Only losses of this dialect."), enum: [...dialects] } },
  replies: {
    200: describeReply(
      "The losses.",
      object(
        {
          losses: list(
            object(
              {
                dialect: string,
                code: string,
                action: oneOf(...LOSS_ACTIONS),
                level: oneOf(...LOSS_LEVELS),
                message: string,
              },
              {},
            ),
          ),
        },
        {},
      ),
    ),
  },
};
