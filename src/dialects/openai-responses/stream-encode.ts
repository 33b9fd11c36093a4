// From deltas to the events of a stream (B83). What comes is said at once, item by item; how the answer ends, and all
// that it says beside its items, is taken from the whole answer, encoded like any other: where late deltas made
// something of it that the events could not say, the last event still does.
import type { Delta, StartPayload } from "../../model/delta.ts";
import type { JsonObject, JsonValue } from "../../model/json.ts";
import type { ProviderError } from "../../model/provider-error.ts";
import type { ModelResponse } from "../../model/response.ts";
import type { EncodeContext, EncodeStreamOptions, StreamEncoder, WireEvent } from "../dialect.ts";
import { Follower } from "../kit/follow.ts";
import { uninterrupted } from "../kit/notes.ts";
import { decodeOpenAiError } from "../kit/openai-errors.ts";
import { isObject } from "../kit/read.ts";
import { readForm } from "../kit/residue.ts";
import { eventsOf, withOwnReport, withoutEvents } from "../kit/streams.ts";
import type { Code } from "./losses.ts";
import { encodeResponse } from "./response.ts";
import { Output } from "./stream-output.ts";
import { EVENT } from "./stream-terms.ts";

export function streamEncoder(
  context: EncodeContext<Code>,
  _options: EncodeStreamOptions,
): Omit<StreamEncoder, "losses"> {
  return new ResponseWriter(context);
}

/** The event that ends an answer of a status; what is neither done nor failed is incomplete. */
const ENDS: Readonly<Record<string, string>> = {
  completed: "response.completed",
  failed: "response.failed",
};

class ResponseWriter implements Omit<StreamEncoder, "losses"> {
  readonly #context: EncodeContext<Code>;
  readonly #follower = new Follower();
  #output: Output;
  /** What the answer was called when it began. */
  #id: JsonValue | undefined;

  constructor(context: EncodeContext<Code>) {
    this.#context = context;
    this.#output = new Output(quiet(context), context.report, "", false);
  }

  push(delta: Delta): WireEvent[] {
    const draft = this.#follower.push(delta);
    if (draft !== undefined) {
      // Further choices cannot be said here.
      if (draft.choice === 0) this.#output.add(draft, delta);
    } else if (delta.kind === "start") this.#start(delta.payload);
    else if (delta.kind === "done" || delta.kind === "error") this.#finish(delta.kind === "done");
    else if (delta.kind === "part") this.#context.report.addLoss("result-between");
    return this.#output.take();
  }

  end(): WireEvent[] {
    return [];
  }

  #start({ requestId, modelId, createdAt, extra }: StartPayload): void {
    const { dialect } = this.#context;
    const silent = quiet(this.#context);
    this.#output = new Output(silent, this.#context.report, requestId, extra?.[dialect] !== undefined);
    const begun: ModelResponse = {
      id: requestId,
      model: modelId,
      message: { role: "assistant", parts: [] },
      finishReason: { unified: "other", raw: "in_progress" },
      ...(createdAt !== undefined && { createdAt }),
      ...(extra !== undefined && { extra }),
    };
    const response = bodyOf(begun, silent);
    Object.assign(response, { status: "in_progress", incomplete_details: null, usage: null, output: [] });
    delete response["output_text"];
    this.#id = response["id"];
    this.#output.say("response.created", { response });
    this.#output.say("response.in_progress", { response });
  }

  #finish(isDone: boolean): void {
    const context = this.#context;
    const output = this.#output;
    const whole = this.#follower.response();
    if (whole === undefined) return;
    output.release();
    const { fields, response } = unwound(whole, context.dialect);
    const events = eventsOf(whole, context.dialect);
    const event = eventOf(response.error);
    if (event !== undefined) {
      for (const each of [...events, event]) output.repeat(each);
      return;
    }
    const wire = this.#bodyAsSaid(response);
    const items = Array.isArray(wire["output"]) ? wire["output"].filter(isObject) : [];
    // What an error interrupts stays open.
    if (isDone) output.end(items);
    // Where the answer has not said itself how it ended, what was open then is not complete.
    else if (response.finishReason.raw === undefined) output.breakOff(items);
    for (const event of events) output.repeat(event);
    const { status = "completed" } = wire;
    const end = typeof status === "string" ? ENDS[status] : undefined;
    const type = isDone ? (end ?? "response.incomplete") : "response.failed";
    output.say(type, { ...fields, response: wire });
  }

  /** The whole answer, which says what the events have said. Losses are those of the answer as it came. */
  #bodyAsSaid(response: ModelResponse): JsonObject {
    const context = this.#context;
    const output = this.#output;
    const { message } = response;
    const parts = output.spelledParts(message.parts);
    const whole = { ...response, message: { ...message, parts } };
    let wire = bodyOf(whole, context);
    if (output.isDivided) {
      const divided = { ...message, parts: output.dividedParts(parts) };
      wire = bodyOf({ ...response, message: divided }, quiet(context));
    }
    // Clients refuse an answer whose name changes.
    if (this.#id !== undefined && typeof wire["id"] === "string" && wire["id"] !== this.#id) {
      wire["id"] = this.#id;
      context.report.addLoss("field-unsaid", ["extra", context.dialect, "id"]);
    }
    return wire;
  }
}

/** The event of its own that an error came as, if it still says what the error says. Others have no code. */
function eventOf(error: ProviderError | undefined): JsonObject | undefined {
  const raw = error?.raw;
  if (error === undefined || !isObject(raw) || raw["type"] !== "error") return undefined;
  const said = isObject(raw["error"]) ? raw["error"] : raw;
  if (typeof said["message"] !== "string" || said["code"] === undefined) return undefined;
  const { kind, message } = decodeOpenAiError(raw);
  return kind === error.kind && message === error.message ? raw : undefined;
}

/** For items, which are encoded before all of the answer is known; answers are never mended. */
function quiet(context: EncodeContext<Code>): EncodeContext<Code> {
  return withOwnReport({ ...context, repair: false });
}

function bodyOf(response: ModelResponse, context: EncodeContext<Code>): JsonObject {
  // It has made an object.
  return encodeResponse(response, context).wire as JsonObject;
}

interface Unwound {
  fields: JsonObject;
  response: ModelResponse;
}

/** What nobody knew goes out as events again, and that the stream was interrupted is said by its end. */
function unwound(whole: ModelResponse, dialect: string): Unwound {
  const response = withoutEvents(whole, dialect);
  const { [EVENT]: fields, ...form } = readForm(whole, dialect);
  if (fields !== undefined) {
    const { $form: _, ...kept } = response.extra?.[dialect] ?? {};
    const isPlain = Object.keys(form).length === 0;
    response.extra = { ...response.extra, [dialect]: isPlain ? kept : { ...kept, $form: form } };
  }
  const { message } = response;
  if (message.metadata?.interrupted === true) response.message = uninterrupted(message);
  return {
    fields: isObject(fields) ? fields : {},
    response,
  };
}
