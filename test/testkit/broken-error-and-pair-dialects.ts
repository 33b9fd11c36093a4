// Faults in the encoding and decoding of errors, and in the encoding of payloads that came from another dialect.
import type { Encoded, Message, ProviderError, ModelRequest, ModelResponse } from "../../src/index.ts";
import { DialectError } from "../../src/index.ts";
import { without } from "./broken-message-dialects.ts";
import type { DialectFault, DialectFaultRow } from "./dialect-faults.ts";

function readsErrors(change: (error: ProviderError, wire: unknown) => ProviderError): DialectFault {
  return (good) => ({ decodeError: (wire, status) => change(good.decodeError(wire, status), wire) });
}
function writesErrors(change: (error: ProviderError) => ProviderError): DialectFault {
  return (good) => ({ encodeError: (error) => good.encodeError(change(error)) });
}

export const ERROR_FAULTS: readonly DialectFaultRow[] = [
  ["drops the raw body of an error", /errors: .*known kind/, readsErrors((value) => without(value, "raw"))],
  [
    "has an unknown kind of error",
    /errors: .*known kind/,
    readsErrors((error) => ({ ...error, kind: "sulking" as ProviderError["kind"] })),
  ],
  ["drops the status of an error", /errors: .*comes back/, writesErrors((error) => ({ ...error, status: 418 }))],
  ["drops the unknown fields of an error", /errors: .*comes back/, writesErrors((value) => without(value, "raw"))],
  [
    "ignores an edited message",
    /errors: .*edited message/,
    (good) => ({
      encodeError: (error) => ({ ...good.encodeError(error), wire: error.raw ?? good.encodeError(error).wire }),
    }),
  ],
  [
    "crashes on an invalid error",
    /errors: .*never crashes/,
    readsErrors((error, wire) => {
      const { text } = (wire as { problem: { text: string } }).problem;
      return { ...error, message: text.trim() };
    }),
  ],
  [
    "throws errors with the name of another dialect",
    /errors: .*never crashes/,
    readsErrors((error) => {
      if (error.kind === "unknown") throw new DialectError("other", "", "wrong-type", "No.");
      return error;
    }),
  ],
  ["has one status for every error", /status of its class/, writesErrors((error) => ({ ...error, status: 500 }))],
  [
    "has one status for every error of a class",
    /status of its class/,
    (good) => ({
      encodeError: (error) => {
        const { status, wire } = good.encodeError(error);
        return { wire, status: status === 429 ? 429 : Math.floor(status / 100) * 100 };
      },
    }),
  ],
  ["confuses two kinds", /decodes to itself/, readsErrors((error) => ({ ...error, kind: "quota" }))],
  [
    "writes the error body of another dialect",
    /is not sent/,
    (good) => ({
      encodeError: (error) => ({
        ...good.encodeError(error),
        wire: { problem: { text: error.message }, cause: error.raw },
      }),
    }),
  ],
];

/** Changes messages before they are encoded, in requests and responses. */
function sends(change: (message: Message) => Message): DialectFault {
  return (good) => ({
    encodeRequest: (request: ModelRequest, options) =>
      good.encodeRequest({ ...request, messages: request.messages.map(change) }, options),
    encodeResponse: (response: ModelResponse, options) =>
      good.encodeResponse({ ...response, message: change(response.message) }, options),
  });
}
function reports(loss: Partial<Encoded["losses"][number]>): DialectFault {
  const one = {
    path: "",
    code: "field-unsupported",
    action: "dropped",
    level: "loss",
    message: "So it is.",
    ...loss,
  } as const;
  return (good) => ({
    encodeRequest: (request, options) => ({ ...good.encodeRequest(request, options), losses: [one] }),
    encodeResponse: (response, options) => ({ ...good.encodeResponse(response, options), losses: [one] }),
  });
}
/** The number of encodings so far. */
let written = 0;

export const PAIR_FAULTS: readonly DialectFaultRow[] = [
  [
    "drops calls of other dialects",
    /→ .*lost silently/,
    sends((message) => ({ ...message, parts: message.parts.filter(({ type }) => type !== "tool-call") })),
  ],
  ["reports a loss with an undeclared code", /→ .*declared codes/, reports({ code: "unheard-of" })],
  [
    "cannot decode its own wire",
    /→ .*the encoded value comes back/,
    (good) => ({
      encodeRequest: (request, options) => ({
        ...good.encodeRequest(request, options),
        wire: { ...(good.encodeRequest(request, options).wire as object), written: written++ },
      }),
      encodeResponse: (response, options) => ({
        ...good.encodeResponse(response, options),
        wire: { ...(good.encodeResponse(response, options).wire as object), written: written++ },
      }),
    }),
  ],
  [
    "assigns calls to the wrong tool",
    /→ .*preserves the conversation/,
    sends((message) => ({
      ...message,
      parts: message.parts.map((part) => (part.type === "tool-call" ? { ...part, toolName: "shout" } : part)),
    })),
  ],
  [
    "drops the input of calls and reports a note only",
    /→ .*preserves the conversation/,
    (good) => {
      const dropped = sends((message) => ({
        ...message,
        parts: message.parts.map((part) => (part.type === "tool-call" ? { ...part, input: {} } : part)),
      }))(good);
      return { ...dropped, ...reports({ path: "/messages/2/parts/2/input" })({ ...good, ...dropped }) };
    },
  ],
  [
    "drops texts and reports a repair only",
    /→ .*requests: a request with every field: .*preserves the conversation/,
    (good) => {
      const dropped = sends((message) => ({ ...message, parts: message.parts.filter(({ type }) => type !== "text") }))(
        good,
      );
      return {
        ...dropped,
        ...reports({ path: "/messages/0", code: "text-blank", action: "repaired", level: "note" })({
          ...good,
          ...dropped,
        }),
      };
    },
  ],
  [
    "drops results and reports a repair only",
    /→ .*requests: a request with every field: .*preserves the conversation/,
    (good) => {
      const dropped = sends((message) =>
        message.role === "tool" ? without({ ...message, parts: [] }, "extra") : message,
      )(good);
      return {
        ...dropped,
        ...reports({ path: "/messages/0", code: "text-blank", action: "repaired", level: "note" })({
          ...good,
          ...dropped,
        }),
      };
    },
  ],
];
