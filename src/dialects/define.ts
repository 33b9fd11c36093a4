// From a dialect's specification to the dialect that everything outside uses: contexts made, losses collected, and a
// clear error for what the dialect does not carry.
import type { Delta } from "../model/delta.ts";
import { JsonError } from "../model/errors.ts";
import type { JsonObject } from "../model/json.ts";
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
import { ByteFeed, readData } from "./frames.ts";
import { isObject } from "./kit/read.ts";
import { Report } from "./kit/report.ts";
import { PathTracker } from "./kit/trail.ts";

/** Makes the factory of a dialect. */
export function defineDialect<Code extends string>(spec: DialectSpec<Code>): DialectFactory {
  const carries: ReadonlySet<Capability> = new Set(CAPABILITIES.filter((cargo) => spec[cargo] !== undefined));
  const make = (options: DialectOptions = {}): Dialect => new SpecDialect(spec, carries, options);
  return Object.defineProperty(make, "id", { value: spec.id }) as unknown as DialectFactory;
}

class SpecDialect<Code extends string> implements Dialect {
  readonly id: string;
  readonly title: string;
  readonly supports: ReadonlySet<Capability>;
  readonly losses: DialectSpec<Code>["losses"];
  readonly #spec: DialectSpec<Code>;
  readonly #options: DialectOptions;

  constructor(spec: DialectSpec<Code>, carries: ReadonlySet<Capability>, options: DialectOptions) {
    this.id = spec.id;
    this.title = spec.title;
    this.supports = carries;
    this.losses = spec.losses;
    this.#spec = spec;
    this.#options = options;
  }

  #carry<C extends Capability>(cargo: C): NonNullable<DialectSpec<Code>[C]> {
    const codec = this.#spec[cargo];
    if (codec !== undefined) return codec;
    const carried = [...this.supports].join(", ");
    throw new DialectError(this.id, "", "not-carried", `${this.title} carries ${carried}, but no ${cargo}.`);
  }

  #decoding(): DecodeContext {
    const dialect = this.id;
    const trail = new PathTracker();
    return {
      ...this.#options,
      dialect,
      pathTracker: trail,
      fail(code, message, field) {
        throw new DialectError(dialect, field === undefined ? trail.path() : trail.path(field), code, message);
      },
    };
  }

  detectKind(wire: unknown): PayloadKind | undefined {
    return isObject(wire) ? this.#spec.detectKind?.(wire) : undefined;
  }

  /** Runs a step; what a reader or writer of JSON says about a value becomes this dialect's error at its place. */
  #attempt<T>(trail: PathTracker, step: () => T): T {
    try {
      return step();
    } catch (error) {
      throw this.#explain(trail, error);
    }
  }

  #explain(trail: PathTracker, error: unknown): unknown {
    // What nests beyond all measure ends the engine's stack.
    if (error instanceof RangeError && error.message.includes("call stack")) {
      return new DialectError(this.id, "", "too-deep", "The value is nested too deep.", { cause: error });
    }
    if (!(error instanceof JsonError)) return error;
    const code = error.code === "too-deep" ? "too-deep" : "wrong-type";
    return new DialectError(this.id, trail.path() + error.path, code, error.message, { cause: error });
  }

  #decode<T>(step: (context: DecodeContext) => T): T {
    const context = this.#decoding();
    return this.#attempt(context.pathTracker, () => step(context));
  }

  #encoding(repair: boolean): EncodeContext<Code> {
    const trail = new PathTracker();
    return {
      ...this.#options,
      dialect: this.id,
      pathTracker: trail,
      report: new Report(trail, this.#spec.losses),
      repair,
    };
  }

  #encode(repair: boolean, step: (context: EncodeContext<Code>) => Omit<Encoded, "losses">): Encoded {
    const context = this.#encoding(repair);
    const encoded = this.#attempt(context.pathTracker, () => step(context));
    return { ...encoded, losses: context.report.losses };
  }

  /** Callers without types may pass anything; an encoder only knows messages. */
  #checkMessages(messages: readonly unknown[]): void {
    if (!Array.isArray(messages)) throw new DialectError(this.id, "", "wrong-type", "Expected a list of messages.");
    messages.forEach((message: { parts?: unknown } | null | undefined, index) => {
      if (Array.isArray(message?.parts)) return;
      throw new DialectError(this.id, `/${index}`, "wrong-type", "Expected a message with parts.");
    });
  }

  /** A stream goes on after an error, so that each step begins at the root again. No closure: it runs for every delta. */
  #stepwise<In, Out>(trail: PathTracker, step: (input: In) => Out): (input: In) => Out {
    return (input) => {
      trail.reset();
      try {
        return step(input);
      } catch (error) {
        throw this.#explain(trail, error);
      }
    };
  }

  decodeMessages: Dialect["decodeMessages"] = (wire) =>
    this.#decode((context) => this.#carry("messages").decode(wire, context));
  encodeMessages: Dialect["encodeMessages"] = (messages, options = {}) =>
    // A fragment may begin and end anywhere: there is nothing to mend.
    this.#encode(false, (context) => {
      const codec = this.#carry("messages");
      this.#checkMessages(messages);
      return { wire: codec.encode(messages, context, options) };
    });
  decodeRequest: Dialect["decodeRequest"] = (wire, options = {}) =>
    this.#decode((context) => this.#carry("requests").decode(wire, context, options));
  encodeRequest: Dialect["encodeRequest"] = (request, options = {}) =>
    this.#encode(options.repair !== false, (context) => this.#carry("requests").encode(request, context, options));
  decodeResponse: Dialect["decodeResponse"] = (wire, options = {}) =>
    this.#decode((context) => this.#carry("responses").decode(wire, context, options));
  encodeResponse: Dialect["encodeResponse"] = (response, options = {}) =>
    this.#encode(options.repair !== false, (context) => this.#carry("responses").encode(response, context, options));
  decodeError: Dialect["decodeError"] = (wire, status) =>
    this.#decode((context) => this.#carry("errors").decode(wire, context, status));
  encodeError: Dialect["encodeError"] = (error) => this.#carry("errors").encode(error);
  streamDecoder: Dialect["streamDecoder"] = (options = {}) => {
    const context = this.#decoding();
    const streams = this.#carry("streams");
    const decoder = streams.decoder(context, options);
    let bytes: ByteFeed | undefined;
    return {
      push: this.#stepwise(context.pathTracker, (event: unknown) => {
        if (isBytes(event)) return (bytes ??= new ByteFeed(decoder, streams.frames?.reader())).push(event);
        const frame = frameOf(event);
        if (frame === undefined) return decoder.push(event, undefined);
        context.pathTracker.enter("data");
        return decoder.push(readData(frame["data"]), typeof frame["event"] === "string" ? frame["event"] : undefined);
      }),
      end: this.#stepwise<void, Delta[]>(context.pathTracker, () => [...(bytes?.end() ?? []), ...decoder.end()]),
    };
  };
  streamEncoder: Dialect["streamEncoder"] = (options = {}) => {
    const context = this.#encoding(true);
    const encoder = this.#carry("streams").encoder(context, options);
    return {
      push: this.#stepwise(context.pathTracker, (delta: Delta) => encoder.push(delta)),
      end: this.#stepwise<void, WireEvent[]>(context.pathTracker, () => encoder.end()),
      losses: context.report.losses,
    };
  };
  formatEvent: Dialect["formatEvent"] = (event) => {
    const { frames } = this.#carry("streams");
    return frames === undefined ? formatSse(event) : frames.write(event);
  };
}

const FRAME: ReadonlySet<string> = new Set(["event", "data", "id", "retry"]);

/** An event in its envelope: nothing but what server-sent events have. */
function frameOf(event: unknown): JsonObject | undefined {
  if (!isObject(event) || event["data"] === undefined) return undefined;
  for (const key in event) if (!FRAME.has(key)) return undefined;
  return event;
}

function isBytes(event: unknown): event is Uint8Array | string {
  return event instanceof Uint8Array || (typeof event === "string" && event !== "[DONE]");
}
