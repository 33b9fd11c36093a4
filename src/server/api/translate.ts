// Translation over HTTP: a payload in every dialect's words, what every dialect carries, and what can get lost on the way.
import type { Chunk, DialectId } from "../../dialects/index.ts";
import { CAPABILITIES } from "../../dialects/dialect.ts";
import { detect, dialect, dialects, transcode, translate } from "../../dialects/index.ts";
import type { Loss } from "../../model/index.ts";
import { LOSS_ACTIONS, LOSS_LEVELS } from "../../model/index.ts";
import { boolean, integer, json, list, object, string, words } from "../../model/shape.ts";
import type { Infer } from "../../model/shape.ts";
import { ServerError } from "../errors.ts";
import type { Route, Services } from "../types.ts";
import { queryWord, readBody } from "./reading.ts";
import { jsonReply, route, says, text } from "./replies.ts";
import { within } from "./within.ts";

const KINDS = ["request", "response", "stream", "error", "messages"] as const;
type Kind = (typeof KINDS)[number];

const TRANSLATION = object(
  { to: words(...dialects), payload: json },
  {
    from: words(...dialects),
    kind: words(...KINDS),
    model: string,
    address: object({}, { model: string, stream: boolean }, { open: true }),
    status: integer,
    repair: boolean,
  },
);
type Asked = Infer<typeof TRANSLATION>;

export function translateRoutes({ config }: Services): Route[] {
  return [
    route("POST", "/v1/translate", TRANSLATE, async (request) => {
      const asked = await readBody(request, config.limits, TRANSLATION);
      const { from, kind } = recognised(asked);
      const translated = within("/payload", () => translatedBy(asked, from, kind));
      return jsonReply(200, { dialect: asked.to, from, kind, ...translated });
    }),
    route("GET", "/v1/dialects", DIALECTS, () =>
      jsonReply(200, {
        dialects: dialects.map((id) => {
          const { title, supports: carries } = dialect(id);
          return { id, title, carries: [...carries] };
        }),
      }),
    ),
    route("GET", "/v1/losses", LOSSES, (request) => {
      const only = queryWord(request, "dialect", dialects);
      const wanted = only === undefined ? dialects : [only];
      return jsonReply(200, { losses: wanted.flatMap(lossesInto) });
    }),
  ];
}

interface Said {
  wire: unknown;
  losses: readonly Loss[];
}

function translatedBy({ to, payload, model, address, status, repair }: Asked, from: DialectId, kind: Kind): Said {
  if (kind === "messages") return dialect(to).encodeMessages(dialect(from).decodeMessages(payload));
  // A stream as it lay in the bytes: events as text, in and out.
  if (kind === "stream" && typeof payload === "string") {
    const transcoder = transcode(from, to);
    const chunks = [transcoder.push(payload), transcoder.end()];
    return { wire: joined(chunks), losses: transcoder.losses };
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

/** Text as it is; frames that are binary, which JSON cannot hold, as base64. */
function joined(chunks: readonly Chunk[]): string {
  const bytes = chunks.filter((chunk) => typeof chunk !== "string");
  return bytes.length === 0 ? chunks.join("") : Buffer.concat(bytes).toString("base64");
}

/** What the payload is, where it is not said. A list may be messages or events, so that `from` alone leaves that open. */
function recognised({ from, kind, payload }: Asked): { from: DialectId; kind: Kind } {
  if (from !== undefined && kind !== undefined) return { from, kind };
  const events = Array.isArray(payload) ? payload[0] : undefined;
  const found = detect(payload) ?? (events === undefined ? undefined : detect(events));
  const dialectOf = from ?? found?.dialect;
  const kindOf =
    kind ?? (from === undefined || found?.dialect === from ? found?.kind : dialect(from).detectKind(payload));
  if (dialectOf !== undefined && kindOf !== undefined) return { from: dialectOf, kind: kindOf };
  const missing = dialectOf === undefined ? "from" : "kind";
  const choices = missing === "from" ? dialects : KINDS;
  const message = `The payload does not show its ${missing === "from" ? "dialect" : "kind"}: say "${missing}", one of ${choices.join(", ")}.`;
  throw new ServerError("invalid-request", message, { path: `/${missing}` });
}

function lossesInto(id: DialectId): object[] {
  return Object.entries(dialect(id).losses).map(([code, { action, level, message: sentence }]) => ({
    dialect: id,
    code,
    action,
    level,
    says: sentence,
  }));
}

const TRANSLATE = {
  id: "translate",
  summary:
    "A payload in another dialect's words, with everything that does not arrive. A stream is a list of events, or the text of one; frames that are binary come as base64.",
  body: TRANSLATION,
  replies: { 200: says("The payload in the other dialect.", "Translated") },
} as const;
const DIALECTS = {
  id: "listDialects",
  summary: "The dialects, and what each carries.",
  replies: {
    200: says(
      "The dialects.",
      object({ dialects: list(object({ id: string, title: string, carries: list(words(...CAPABILITIES)) }, {})) }, {}),
    ),
  },
} as const;
const LOSSES = {
  id: "listLosses",
  summary: "Every loss that encoding into a dialect can cause.",
  query: { dialect: { ...text("Only this one's."), enum: [...dialects] } },
  replies: {
    200: says(
      "The losses.",
      object(
        {
          losses: list(
            object(
              {
                dialect: string,
                code: string,
                action: words(...LOSS_ACTIONS),
                level: words(...LOSS_LEVELS),
                says: string,
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
