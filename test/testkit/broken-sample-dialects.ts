// Faults that the suites must detect with wire samples of requests and responses.
import type { Encoded, JsonObject, ModelRequest, ModelResponse } from "../../src/index.ts";
import { DialectError } from "../../src/index.ts";
import { without } from "./broken-message-dialects.ts";
import type { DialectFault, DialectFaultRow, Wire } from "./dialect-faults.ts";
import {
  changesResponse,
  changesRequest,
  combines,
  changesDecoded,
  changesMessages,
  changesParts,
  changesErrors,
  changesEncoded,
} from "./dialect-faults.ts";

function sortedKeys(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(sortedKeys);
  if (typeof value !== "object" || value === null) return value;
  const fields = Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1));
  return Object.fromEntries(fields.map(([key, field]) => [key, sortedKeys(field)]));
}

const LOSS = { action: "dropped", level: "loss", message: "It was so before." } as const;
let count = 0;

/** Stores a hidden copy of every body, which edits do not change. */
function cachesBodies(keyOf: (value: ModelRequest | ModelResponse) => unknown): DialectFault {
  return (good) => {
    const bodies = new Map<unknown, unknown>();
    const read = <T extends ModelRequest | ModelResponse>(value: T, wire: unknown): T => {
      bodies.set(keyOf(value), wire);
      return value;
    };
    const write = (value: ModelRequest | ModelResponse, encoded: Encoded): Encoded => {
      const wire = bodies.get(keyOf(value));
      return wire === undefined ? encoded : { ...encoded, wire };
    };
    return {
      ...changesDecoded(read)(good),
      encodeRequest: (request, options) => write(request, good.encodeRequest(request, options)),
      encodeResponse: (response, options) => write(response, good.encodeResponse(response, options)),
    };
  };
}

/** Stores residue in a WeakMap, so that a copy of the value loses it. */
function bindsResidue(): DialectFault {
  const residues = new WeakMap<object, ModelRequest["extra"]>();
  return combines(
    changesDecoded((value) => {
      const bare = without(value, "extra");
      if (value.extra !== undefined) residues.set(bare, value.extra);
      return bare;
    }),
    (good) => {
      const full = <T extends ModelRequest | ModelResponse>(value: T): T => {
        const extra = residues.get(value);
        return extra === undefined ? value : { ...value, extra };
      };
      return { ...changesRequest(full)(good), ...changesResponse(full)(good) };
    },
  );
}

export const SAMPLE_FAULTS: readonly DialectFaultRow[] = [
  [
    "drops a setting",
    /requests: a request with every field: comes back as equal JSON$/,
    changesRequest((value) => without(value, "sampling")),
  ],
  [
    "drops the usage",
    /responses: an answer: comes back as equal JSON$/,
    changesResponse((value) => without(value, "usage")),
  ],
  [
    "loses digits",
    /requests: a request with every field: comes back as equal JSON$/,
    changesEncoded((encoded) => ({ ...encoded, wire: JSON.parse(JSON.stringify(encoded.wire)) as unknown })),
  ],
  [
    "drops the envelope",
    /requests: a request with every field: comes back as equal JSON$/,
    changesEncoded((value) => without(value, "address")),
  ],
  [
    "drops data of its own dialect and reports a loss",
    /comes back as equal JSON$/,
    changesEncoded((encoded) => ({
      ...encoded,
      losses: [...encoded.losses, { ...LOSS, path: "", code: "field-unsupported" }],
    })),
  ],
  [
    "mutates the wire",
    /comes back as equal JSON$/,
    changesDecoded((value, wire) => {
      (wire as Wire)["seen"] = true;
      return value;
    }),
  ],
  [
    "repairs even if repairs are disabled",
    /without repairs$/,
    (good) => ({
      encodeRequest: (request, options) => {
        const encoded = good.encodeRequest(request, options);
        return options?.repair === false ? { ...encoded, wire: without(encoded.wire as object, "paper") } : encoded;
      },
      encodeResponse: (response, options) => {
        const { wire, losses } = good.encodeResponse(response, options);
        const loss = { ...LOSS, path: "", code: "text-blank", action: "repaired", level: "note" } as const;
        return { wire, losses: options?.repair === false ? [...losses, loss] : losses };
      },
    }),
  ],
  [
    "sorts the keys of its wire",
    /order of their keys$/,
    changesEncoded((encoded) => ({ ...encoded, wire: sortedKeys(encoded.wire) })),
  ],
  ["stores residue by object identity", /stored copy/, bindsResidue()],
  ["decodes to an unknown field", /model's shape$/, changesDecoded((value) => ({ ...value, topic: "wrath" }))],
  ["decodes to undefined", /model's shape$/, changesDecoded((value) => ({ ...value, topP: undefined }))],
  [
    "writes different bytes each time",
    /B44: encoding/,
    changesEncoded((encoded) => ({ ...encoded, wire: { ...encoded.wire, number: count++ } })),
  ],
  [
    "writes its keys in a random order",
    /same bytes$/,
    changesEncoded((encoded) => {
      const fields = Object.entries(encoded.wire);
      return { ...encoded, wire: Object.fromEntries(count++ % 2 === 0 ? fields : fields.toReversed()) };
    }),
  ],
  [
    "writes the number of messages on each message",
    /(appended message|each prefix)/,
    (good) => ({
      encodeRequest: (request, options) =>
        good.encodeRequest(
          {
            ...request,
            messages: request.messages.map((each) => ({ ...each, extra: { plain: { of: request.messages.length } } })),
          },
          options,
        ),
    }),
  ],
  [
    "writes the last message first",
    /(appended message|each prefix)/,
    changesRequest((request) => ({ ...request, messages: request.messages.toReversed() })),
  ],
  [
    "drops an appended message",
    /appended message/,
    changesRequest((request) => ({
      ...request,
      messages: request.messages.filter((each) => !JSON.stringify(each).includes("And another thing")),
    })),
  ],
  [
    "drops the unknown fields of a message whose text is edited",
    /edited text changes/,
    changesMessages((message) =>
      JSON.stringify(message.parts).includes("An edited text") ? without(message, "extra") : message,
    ),
  ],
  [
    "drops the unknown fields of an edited text",
    /responses: an answer: an edited text changes/,
    changesParts((part) => (part.type === "text" && part.text.startsWith("An edited") ? without(part, "extra") : part)),
  ],
  ["ignores edits of texts", /edited text changes/, cachesBodies((value) => ("model" in value ? value.model : ""))],
  [
    "stores a copy of the body",
    /no copy of an edited/,
    cachesBodies((value) => ("messages" in value ? value.messages.length : value.usage?.totalTokens)),
  ],
  [
    "stores a copy of the message in the residue",
    /no copy of an edited/,
    (good) => ({
      decodeRequest: (wire, options) => {
        const request = good.decodeRequest(wire, options);
        const residue = { ...request.extra?.["plain"], dialogue: (wire as { dialogue: [] }).dialogue };
        return { ...request, extra: { plain: residue } };
      },
      encodeRequest: (request, options) => {
        const { dialogue, ...rest }: JsonObject = request.extra?.["plain"] ?? {};
        const encoded = good.encodeRequest({ ...request, extra: { ...request.extra, plain: rest } }, options);
        return dialogue === undefined ? encoded : { ...encoded, wire: { ...(encoded.wire as Wire), dialogue } };
      },
      decodeResponse: (wire, options) => {
        const response = good.decodeResponse(wire, options);
        return { ...response, extra: { plain: { ...response.extra?.["plain"], whole: JSON.stringify(wire) } } };
      },
      encodeResponse: (response, options) => {
        const { whole, ...rest }: JsonObject = response.extra?.["plain"] ?? {};
        const encoded = good.encodeResponse({ ...response, extra: { plain: rest } }, options);
        return typeof whole === "string" ? { ...encoded, wire: JSON.parse(whole) as unknown } : encoded;
      },
    }),
  ],
  [
    "reports an undeclared loss",
    /declared codes/,
    changesEncoded((encoded) => ({ ...encoded, losses: [{ ...LOSS, path: "", code: "unheard-of" }] })),
  ],
  [
    "reports a loss with another level",
    /declared codes/,
    changesEncoded((encoded) => ({
      ...encoded,
      losses: [{ ...LOSS, path: "", code: "field-unsupported", level: "note" }],
    })),
  ],
  [
    "reports a loss with a missing path",
    /declared codes/,
    changesEncoded((encoded) => ({ ...encoded, losses: [{ ...LOSS, path: "/nowhere", code: "field-unsupported" }] })),
  ],
  ["drops unknown fields", /new field at any position/, changesDecoded((value) => without(value, "extra"))],
  [
    "throws on unknown fields",
    /new field at any position/,
    changesDecoded((value) => {
      if (value.extra?.["plain"] !== undefined) throw new DialectError("plain", "", "wrong-type", "Not known here.");
      return value;
    }),
  ],
  [
    "drops unknown fields of tools",
    /requests: a request with every field: B43: a new field at any position/,
    changesRequest((request) => ({
      ...request,
      ...(request.tools && { tools: request.tools.map((tool) => without(tool, "extra")) }),
    })),
  ],
  [
    "crashes on invalid values",
    /missing or invalid/,
    changesErrors(() => new TypeError("Cannot read properties of undefined")),
  ],
  [
    "throws errors with the name of another dialect",
    /missing or invalid/,
    changesErrors(({ path }) => new DialectError("other", path, "wrong-type", "No.")),
  ],
  [
    "throws errors with a wrong path",
    /missing or invalid/,
    changesErrors(() => new DialectError("plain", "/else/where", "wrong-type", "No.")),
  ],
  [
    "drops an invalid value without a report",
    /missing or invalid/,
    combines(
      (good) => ({ decodeRequest: (wire, options) => good.decodeRequest(dropOdd(wire, "pick", "string"), options) }),
      (good) => ({ decodeResponse: (wire, options) => good.decodeResponse(dropOdd(wire, "at", "number"), options) }),
    ),
  ],
  [
    "decodes invalid values to nothing",
    /a value that is no/,
    (good) => ({
      decodeRequest: (wire, options) => good.decodeRequest(wire ?? { dialogue: [] }, options),
      decodeResponse: (wire, options) => good.decodeResponse(wire ?? { reply: { from: "user", blocks: [] } }, options),
    }),
  ],
];

function dropOdd(wire: unknown, key: string, kind: string): unknown {
  const value = typeof wire === "object" && wire !== null ? (wire as JsonObject)[key] : undefined;
  return value === undefined || typeof value === kind ? wire : without(wire as JsonObject, key);
}
