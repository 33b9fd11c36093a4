// Creates a `Dialect` from its `DialectSpec`: creates the contexts, collects losses, and throws for capabilities that
// the dialect does not support.
import { assertObject } from "../model/argument-error.ts";
import type { Delta } from "../model/delta.ts";
import { JsonError } from "../model/errors.ts";
import type { JsonObject } from "../model/json/index.ts";
import { formatSse } from "../sse/format.ts";
import type {
  Capability,
  DecodeContext,
  Dialect,
  DialectFactory,
  DialectOptions,
  DialectSpec,
  EncodeContext,
  Encoded,
  PayloadKind,
  WireEvent,
} from "./dialect.ts";
import { CAPABILITIES } from "./dialect.ts";
import { DialectError } from "./errors.ts";
import { ByteStreamDecoder, parseEventData } from "./frames.ts";
import { isObject } from "./kit/fields/read-wire.ts";
import { fillTarget, LossReport } from "./kit/losses/report.ts";
import { PathTracker } from "./kit/fields/path-tracker.ts";

/** Creates the factory of a dialect from its specification. */
export function defineDialect<Code extends string>(spec: DialectSpec<Code>): DialectFactory {
  const capabilities: ReadonlySet<Capability> = new Set(
    CAPABILITIES.filter((capability) => spec[capability] !== undefined),
  );
  const filled = { ...spec, losses: fillTarget(spec.losses, spec.id) };
  const make = (options: DialectOptions = {}): Dialect => new SpecDialect(filled, capabilities, options);
  return Object.defineProperty(make, "id", { value: spec.id }) as unknown as DialectFactory;
}

class SpecDialect<Code extends string> implements Dialect {
  readonly id: string;
  readonly title: string;
  readonly supports: ReadonlySet<Capability>;
  readonly losses: DialectSpec<Code>["losses"];
  readonly #spec: DialectSpec<Code>;
  readonly #options: DialectOptions;

  constructor(spec: DialectSpec<Code>, capabilities: ReadonlySet<Capability>, options: DialectOptions) {
    this.id = spec.id;
    this.title = spec.title;
    this.supports = capabilities;
    this.losses = spec.losses;
    this.#spec = spec;
    this.#options = options;
  }

  #requireCodec<C extends Capability>(capability: C): NonNullable<DialectSpec<Code>[C]> {
    const codec = this.#spec[capability];
    if (codec !== undefined) return codec;
    const supportedNames = [...this.supports].join(", ");
    throw new DialectError(
      this.id,
      "",
      "not-supported",
      `The dialect "${this.title}" supports ${supportedNames}, but not ${capability}.`,
    );
  }

  #createDecodeContext(): DecodeContext {
    const dialect = this.id;
    const pathTracker = new PathTracker();
    return {
      ...this.#options,
      dialect,
      pathTracker,
      fail(code, message, field) {
        throw new DialectError(
          dialect,
          field === undefined ? pathTracker.path() : pathTracker.path(field),
          code,
          message,
        );
      },
    };
  }

  detectKind(wire: unknown): PayloadKind | undefined {
    return isObject(wire) ? this.#spec.detectKind?.(wire) : undefined;
  }

  /** Runs a decoder or encoder and converts the errors that it throws with `#toDialectError`. */
  #runStep<T>(pathTracker: PathTracker, step: () => T, isEncoder = false): T {
    try {
      return step();
    } catch (error) {
      throw this.#toDialectError(pathTracker, error, isEncoder);
    }
  }

  /**
   * Returns a `DialectError` for an error that the input caused, and every other error unchanged. A TypeError of an
   * encoder means that the value does not have the canonical types. Decoders check every wire value, so a TypeError of
   * a decoder is a defect of Koine and is not converted.
   */
  #toDialectError(pathTracker: PathTracker, error: unknown, isEncoder: boolean): unknown {
    if (isEncoder && error instanceof TypeError) {
      const message = `The value does not have the structure of the model (${error.message}). Check it with validate, validateRequest or validateResponse.`;
      return new DialectError(this.id, pathTracker.path(), "wrong-type", message, { cause: error });
    }
    // A value that is nested extremely deep overflows the stack of the JavaScript engine, which throws a RangeError.
    if (error instanceof RangeError && error.message.includes("call stack")) {
      return new DialectError(this.id, "", "too-deep", "The value is nested too deep.", { cause: error });
    }
    if (!(error instanceof JsonError)) return error;
    const code = error.code === "too-deep" ? "too-deep" : "wrong-type";
    return new DialectError(this.id, pathTracker.path() + error.path, code, error.message, { cause: error });
  }

  #decode<T>(step: (context: DecodeContext) => T): T {
    const context = this.#createDecodeContext();
    return this.#runStep(context.pathTracker, () => step(context));
  }

  #createEncodeContext(repair: boolean): EncodeContext<Code> {
    const pathTracker = new PathTracker();
    return {
      ...this.#options,
      dialect: this.id,
      pathTracker,
      report: new LossReport(pathTracker, this.#spec.losses),
      repair,
    };
  }

  #encode(repair: boolean, step: (context: EncodeContext<Code>) => Omit<Encoded, "losses">): Encoded {
    const context = this.#createEncodeContext(repair);
    const encoded = this.#runStep(context.pathTracker, () => step(context), true);
    return { ...encoded, losses: context.report.losses };
  }

  /**
   * Throws unless the value is a list of messages whose parts have a type. Encoders rely on these types, but a caller
   * in plain JavaScript can pass any value.
   */
  #checkMessages(messages: readonly unknown[] | undefined, path = ""): void {
    if (!Array.isArray(messages)) throw new DialectError(this.id, path, "wrong-type", "Expected a list of messages.");
    for (let index = 0; index < messages.length; index++) this.#checkMessage(messages[index], path, index);
  }

  #checkMessage(message: { parts?: unknown } | null | undefined, path: string, index?: number): void {
    const here = (): string => (index === undefined ? path : `${path}/${index}`);
    if (!Array.isArray(message?.parts)) {
      throw new DialectError(this.id, here(), "wrong-type", "Expected a message with parts.");
    }
    const wrong = message.parts.findIndex(
      (part: unknown) => typeof (part as { type?: unknown } | null)?.type !== "string",
    );
    if (wrong < 0) return;
    throw new DialectError(this.id, `${here()}/parts/${wrong}`, "wrong-type", "Expected a part with a type.");
  }

  /**
   * Returns a function for one event or delta of a stream: it resets the path, runs `step` and converts the errors that
   * `step` throws. The reset is necessary because a stream continues after an error, which leaves the path where it
   * occurred. For speed, the function does not use `#runStep`, which would need a closure per call.
   */
  #createStreamStep<In, Out>(
    pathTracker: PathTracker,
    step: (input: In) => Out,
    isEncoder = false,
  ): (input: In) => Out {
    return (input) => {
      pathTracker.reset();
      try {
        return step(input);
      } catch (error) {
        throw this.#toDialectError(pathTracker, error, isEncoder);
      }
    };
  }

  decodeMessages: Dialect["decodeMessages"] = (wire) =>
    this.#decode((context) => this.#requireCodec("messages").decode(wire, context));
  encodeMessages: Dialect["encodeMessages"] = (messages, options = {}) =>
    // Repairs are off, because a fragment of a conversation may start and end with any message.
    this.#encode(false, (context) => {
      const codec = this.#requireCodec("messages");
      this.#checkMessages(messages);
      return { wire: codec.encode(messages, context, options) };
    });
  decodeRequest: Dialect["decodeRequest"] = (wire, options = {}) =>
    this.#decode((context) => this.#requireCodec("requests").decode(wire, context, options));
  encodeRequest: Dialect["encodeRequest"] = (request, options = {}) =>
    this.#encode(options?.repair !== false, (context) => {
      const codec = this.#requireCodec("requests");
      this.#checkMessages(request?.messages, "/messages");
      return codec.encode(request, context, options);
    });
  decodeResponse: Dialect["decodeResponse"] = (wire, options = {}) =>
    this.#decode((context) => this.#requireCodec("responses").decode(wire, context, options));
  encodeResponse: Dialect["encodeResponse"] = (response, options = {}) =>
    this.#encode(options?.repair !== false, (context) => {
      const codec = this.#requireCodec("responses");
      this.#checkMessage(response?.message, "/message");
      return codec.encode(response, context, options);
    });
  decodeError: Dialect["decodeError"] = (wire, status) =>
    this.#decode((context) => this.#requireCodec("errors").decode(wire, context, status));
  encodeError: Dialect["encodeError"] = (error) => {
    const codec = this.#requireCodec("errors");
    assertObject(`${this.id}.encodeError`, "error", error);
    return codec.encode(error);
  };
  streamDecoder: Dialect["streamDecoder"] = (options = {}) => {
    assertObject(`${this.id}.streamDecoder`, "options", options);
    const context = this.#createDecodeContext();
    const streams = this.#requireCodec("streams");
    const decoder = streams.decoder(context, options);
    let bytes: ByteStreamDecoder | undefined;
    return {
      push: this.#createStreamStep(context.pathTracker, (event: unknown) => {
        if (isBytes(event)) return (bytes ??= new ByteStreamDecoder(decoder, streams.frames?.reader())).push(event);
        const frame = readEnvelope(event);
        if (frame === undefined) return decoder.push(event, undefined);
        context.pathTracker.enter("data");
        return decoder.push(
          parseEventData(frame["data"]),
          typeof frame["event"] === "string" ? frame["event"] : undefined,
        );
      }),
      end: this.#createStreamStep<void, Delta[]>(context.pathTracker, () => [
        ...(bytes?.end() ?? []),
        ...decoder.end(),
      ]),
    };
  };
  streamEncoder: Dialect["streamEncoder"] = (options = {}) => {
    assertObject(`${this.id}.streamEncoder`, "options", options);
    const context = this.#createEncodeContext(true);
    const encoder = this.#requireCodec("streams").encoder(context, options);
    return {
      push: this.#createStreamStep(context.pathTracker, (delta: Delta) => encoder.push(delta), true),
      end: this.#createStreamStep<void, WireEvent[]>(context.pathTracker, () => encoder.end()),
      losses: context.report.losses,
    };
  };
  formatEvent: Dialect["formatEvent"] = (event) => {
    const { frames } = this.#requireCodec("streams");
    assertObject(`${this.id}.formatEvent`, "event", event);
    return frames === undefined ? formatSse(event) : frames.write(event);
  };
}

const ENVELOPE_FIELDS: ReadonlySet<string> = new Set(["event", "data", "id", "retry"]);

/** Returns the event if it is an envelope `{ event?, data, id?, retry? }`; undefined if it is the data of an event. */
function readEnvelope(event: unknown): JsonObject | undefined {
  if (!isObject(event) || event["data"] === undefined) return undefined;
  for (const key in event) if (!ENVELOPE_FIELDS.has(key)) return undefined;
  return event;
}

function isBytes(event: unknown): event is Uint8Array | string {
  return event instanceof Uint8Array || (typeof event === "string" && event !== "[DONE]");
}
