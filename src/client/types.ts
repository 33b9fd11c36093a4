// Defines the public types of the client: its options, its methods, and requests for objects.
/// <reference lib="esnext.disposable" preserve="true" />
import type { Answer, AnswerStream, CallDefaults, CallOptions } from "../calls/index.ts";
import type { ModelRequest, SchemaObject } from "../model/index.ts";
import type { Middleware } from "./middleware/types.ts";
import type { AnySchema, InferSchema } from "./schema/types.ts";

/** A request for an object that matches a schema. */
export interface ObjectRequest<Schema extends AnySchema> extends Omit<ModelRequest, "output" | "stream"> {
  /** A JSON Schema, or a Standard Schema (Zod, Valibot, ArkType …) that can be converted to JSON Schema. */
  schema: Schema;
  /** The JSON Schema for the model, for a Standard Schema that cannot be converted. */
  jsonSchema?: SchemaObject | undefined;
  name?: string;
  description?: string;
}

/** An object that matches the requested schema, and the answer that contained it. */
export interface ObjectAnswer<Value> {
  object: Value;
  answer: Answer;
}

/** Options of `createClient`: providers, defaults for every call, and middleware. */
export interface ClientOptions extends CallDefaults {
  /** Wrappers around every call; the first middleware is outermost. */
  middleware?: readonly Middleware[] | undefined;
}

/** Calls the models of several providers with one request type. */
export interface ClientMethods extends AsyncDisposable {
  /** The registered names of the providers. */
  readonly providers: readonly string[];
  /**
   * Returns the complete answer. Throws a `ClientError` if no provider answered.
   *
   * @example
   * ```ts
   * import { getText, user } from "koine";
   * import { createClient, demo } from "koine/client";
   *
   * const client = createClient({ providers: { demo: demo() } });
   * const answer = await client.complete(
   *   { model: "demo/koine", messages: [user("say Hello.")] },
   *   { timeouts: { totalMs: 60_000 }, retry: { attempts: 2 } },
   * );
   * console.log(getText(answer.message)); // Hello.
   * console.log(answer.attempts.map(({ provider }) => provider)); // ["demo"]
   * await client.close();
   * ```
   */
  complete(request: ModelRequest, options?: CallOptions): Promise<Answer>;
  /**
   * Returns the answer as a stream of deltas. The request is sent when the first read begins.
   *
   * @example
   * ```ts
   * import { user } from "koine";
   * import { createClient, demo } from "koine/client";
   *
   * const client = createClient({ providers: { demo: demo() } });
   * const stream = client.stream({ model: "demo/koine", messages: [user("say Hello there.")] });
   * const texts: string[] = [];
   * for await (const delta of stream) if (delta.kind === "text") texts.push(delta.payload.textDelta);
   * console.log(texts); // ["Hello"," there","."]
   * const { usage } = await stream.response();
   * console.log(usage !== undefined); // true
   * await client.close();
   * ```
   */
  stream(request: ModelRequest, options?: CallOptions): AnswerStream;
  /**
   * Returns an object that matches a schema. Throws an `OutputError` if the answer contains no such object.
   *
   * @example
   * ```ts
   * import { user } from "koine";
   * import { createClient, demo } from "koine/client";
   *
   * const client = createClient({ providers: { demo: demo() } });
   * const { object } = await client.generateObject({
   *   model: "demo/koine",
   *   messages: [user("Which city?")],
   *   // A validator such as Zod's `z.object({ city: z.string() })` also gives the object its type.
   *   schema: { type: "object", properties: { city: { type: "string" } }, required: ["city"] },
   * });
   * console.log(object); // {"city":"Corinth"}
   * await client.close();
   * ```
   */
  generateObject<Schema extends AnySchema>(
    request: ObjectRequest<Schema>,
    options?: CallOptions,
  ): Promise<ObjectAnswer<InferSchema<Schema>>>;
  /** Closes idle connections; running calls continue. */
  close(): Promise<void>;
}
