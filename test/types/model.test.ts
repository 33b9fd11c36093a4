// Types of the model: narrowing without casts, exactly one source, and shapes that match the interfaces. The
// assertions are checked by the compiler (`npm run check`); at run time they only have to run.
import { describe, expectTypeOf, test } from "vitest";
import type {
  Annotation,
  Delta,
  DeltaKind,
  Dialect,
  FinishReason,
  Logprob,
  MessageDelta,
  Part,
  PartType,
  ModelRequest,
  ModelResponse,
  Seal,
  StoredMessage,
  Tool,
  Usage,
} from "koine";
import { assemble, dialect, editPart, file, image, Message, text, user } from "koine";
import type { Infer } from "../../src/model/validation/shape.ts";
import type * as exchange from "../../src/model/validation/request-shapes.ts";
import type * as shapes from "../../src/model/validation/message-shapes.ts";

/** Both ways assignable, and with the same fields: an optional field that only one side has is a difference. */
type Same<A, B> = [A, keyof A] extends [B, keyof B] ? ([B, keyof B] extends [A, keyof A] ? true : false) : false;
type ShapeOf<T extends PartType> = Infer<(typeof shapes.parts)[T]>;
type PartOf<T extends PartType> = Extract<Part, { type: T }>;

describe("the shapes describe the interfaces", () => {
  test("every part", () => {
    type Compared = { [T in PartType]: Same<ShapeOf<T>, PartOf<T>> };
    expectTypeOf<Compared>().toEqualTypeOf<Record<PartType, true>>();
    expectTypeOf<keyof typeof shapes.parts>().toEqualTypeOf<PartType>();
  });

  test("everything else", () => {
    expectTypeOf<Same<Infer<typeof shapes.seal>, Seal>>().toEqualTypeOf<true>();
    expectTypeOf<Same<Infer<typeof shapes.annotation>, Annotation>>().toEqualTypeOf<true>();
    expectTypeOf<Same<Infer<typeof shapes.logprob>, Logprob>>().toEqualTypeOf<true>();
    expectTypeOf<Same<Infer<typeof shapes.usage>, Usage>>().toEqualTypeOf<true>();
    expectTypeOf<Same<Infer<typeof shapes.finishReason>, FinishReason>>().toEqualTypeOf<true>();
    expectTypeOf<Same<Infer<typeof shapes.message>, Message>>().toEqualTypeOf<true>();
    expectTypeOf<Same<Infer<typeof shapes.storedMessage>, StoredMessage>>().toEqualTypeOf<true>();
    expectTypeOf<Same<Infer<typeof exchange.tool>, Tool>>().toEqualTypeOf<true>();
    expectTypeOf<Same<Infer<typeof exchange.request>, ModelRequest>>().toEqualTypeOf<true>();
    expectTypeOf<Same<Infer<typeof exchange.response>, ModelResponse>>().toEqualTypeOf<true>();
  });

  test("a difference would be seen", () => {
    expectTypeOf<Same<{ a: string }, { a: string; b?: number }>>().toEqualTypeOf<false>();
    expectTypeOf<Same<{ a: string }, { a?: string }>>().toEqualTypeOf<false>();
  });
});

describe("narrowing needs no cast", () => {
  test("on part.type", () => {
    const say = (part: Part): string => {
      switch (part.type) {
        case "text":
        case "reasoning":
        case "refusal":
          return part.text;
        case "tool-call":
          return part.toolName;
        case "tool-result":
          return part.isError ? "failed" : part.toolCallId;
        case "image":
        case "audio":
        case "video":
        case "file":
          return part.url ?? part.mimeType ?? "";
        case "opaque":
          return part.dialect;
      }
    };
    expectTypeOf(say).returns.toEqualTypeOf<string>();
  });

  test("on delta.kind, bare and stamped", () => {
    const say = (delta: Delta | MessageDelta): string => {
      if (delta.kind === "text") return delta.payload.textDelta;
      if (delta.kind === "tool_call_start") return delta.payload.toolName;
      if (delta.kind === "done") return delta.payload.finishReason;
      return "";
    };
    expectTypeOf(say).returns.toEqualTypeOf<string>();
    expectTypeOf<Delta["kind"]>().toEqualTypeOf<DeltaKind>();
  });
});

describe("constructors", () => {
  test("media takes exactly one source", () => {
    expectTypeOf(image).toBeCallableWith({ url: "u", mimeType: "image/png" });
    // @ts-expect-error: no source
    image({ mimeType: "image/png" });
    // @ts-expect-error: two sources
    file({ url: "u", data: "d" });
  });

  test("`Message` is a type and a group of constructors", () => {
    expectTypeOf(Message.user("a")).toEqualTypeOf<Message>();
    expectTypeOf(user([text("a")])).toEqualTypeOf<Message>();
  });

  test("an edit keeps the part's type", () => {
    expectTypeOf(editPart(text("a"), { text: "b" }).text).toEqualTypeOf<string>();
    // @ts-expect-error: a text has no tool name
    editPart(text("a"), { toolName: "b" });
  });
});

test("a tool's schema may be a constant", () => {
  const schema = { type: "object", required: ["city"], properties: { city: { type: "string" } } } as const;
  expectTypeOf<{ type: "function"; name: string; inputSchema: typeof schema }>().toExtend<Tool>();
});

test("options may be undefined", () => {
  const provider = undefined as string | undefined;
  expectTypeOf(dialect).toBeCallableWith("flat", { provider });
});

test("the contract's functions", () => {
  expectTypeOf(assemble).returns.toEqualTypeOf<ModelResponse>();
  expectTypeOf(dialect).returns.toEqualTypeOf<Dialect>();
  expectTypeOf<Dialect["decodeMessages"]>().returns.toEqualTypeOf<Message[]>();
});
