// Compares the wire types of the Responses encoder with those of the official SDK. Only types are compared.
import type OpenAI from "openai";
import { expectTypeOf, test } from "vitest";
import type {
  AssistantMessage,
  CustomCallItem,
  CustomOutputItem,
  CustomToolParam,
  FunctionCallItem,
  FunctionOutputItem,
  FunctionToolParam,
  InputAudio,
  InputFile,
  InputImage,
  InputItem,
  InputMessage,
  InputText,
  OutputItem,
  OutputMessage,
  ReasoningItem,
  ResponsesRequest,
  ResponsesResponse,
  ResponsesUsage,
  TextFormat,
  ToolChoiceParam,
} from "../../src/dialects/openai-responses/index.ts";

type Params = OpenAI.Responses.ResponseCreateParams;
type Item = OpenAI.Responses.ResponseInputItem;

// One of the SDK's image types requires a detail; the API does not, and none is made up (B47).
type Detailed = InputMessage<InputText | InputFile | (InputImage & { detail: "auto" })>;
type SaidItem = Exclude<InputItem, InputMessage> | Detailed;

test("B47: input items", () => {
  expectTypeOf<InputText>().toExtend<OpenAI.Responses.ResponseInputContent>();
  expectTypeOf<InputFile>().toExtend<OpenAI.Responses.ResponseInputContent>();
  expectTypeOf<InputImage>().toExtend<OpenAI.Responses.ResponseInputImageContent>();
  expectTypeOf<InputAudio>().toExtend<OpenAI.Responses.ResponseInputAudio>();
  expectTypeOf<Detailed>().toExtend<OpenAI.Responses.EasyInputMessage>();
  expectTypeOf<AssistantMessage>().toExtend<OpenAI.Responses.EasyInputMessage>();
});

test("items of a request and of an answer", () => {
  expectTypeOf<OutputMessage>().toExtend<OpenAI.Responses.ResponseOutputMessage>();
  expectTypeOf<ReasoningItem>().toExtend<OpenAI.Responses.ResponseReasoningItem>();
  expectTypeOf<FunctionCallItem>().toExtend<OpenAI.Responses.ResponseFunctionToolCall>();
  expectTypeOf<CustomCallItem>().toExtend<OpenAI.Responses.ResponseCustomToolCall>();
  expectTypeOf<FunctionOutputItem>().toExtend<Item>();
  expectTypeOf<CustomOutputItem>().toExtend<Item>();
  expectTypeOf<SaidItem>().toExtend<Item>();
  expectTypeOf<OutputItem>().toExtend<OpenAI.Responses.ResponseOutputItem>();
});

test("tools, their choice and the format", () => {
  expectTypeOf<FunctionToolParam | CustomToolParam>().toExtend<OpenAI.Responses.Tool>();
  expectTypeOf<ToolChoiceParam>().toExtend<NonNullable<Params["tool_choice"]>>();
  expectTypeOf<TextFormat>().toExtend<OpenAI.Responses.ResponseFormatTextConfig>();
});

test("requests and responses", () => {
  expectTypeOf<ResponsesRequest<SaidItem>>().toExtend<Params>();
  expectTypeOf<ResponsesUsage>().toExtend<OpenAI.Responses.ResponseUsage>();
  expectTypeOf<ResponsesResponse>().toExtend<Omit<OpenAI.Responses.Response, "output_text">>();
});
