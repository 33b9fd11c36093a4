// Defines the wire names of sampling settings, and adjusts sampling settings to the limits of Anthropic's API.
import type { JsonObject } from "../../../model/json/index.ts";
import type { ModelRequest, Sampling } from "../../../model/request.ts";
import { FieldTable } from "../../kit/fields/field-table.ts";
import type { AnthropicEncodeState } from "../content/encode-state.ts";
import { SINGLE_SAMPLER_MODELS } from "./model-traits.ts";

export const SAMPLING = new FieldTable<keyof Sampling>([
  ["max_tokens", "maxOutputTokens", "number"],
  ["temperature", "temperature", "number"],
  ["top_p", "topP", "number"],
  ["top_k", "topK", "number"],
  ["stop_sequences", "stop", "strings"],
]);

/** Drops or limits the settings that Anthropic rejects, including those that it rejects only while the model thinks. */
export function adjustSampling(
  request: ModelRequest,
  wire: JsonObject,
  isThinking: boolean,
  { context }: AnthropicEncodeState,
): void {
  const { report } = context;
  const drop = (key: string, field: keyof Sampling): void => {
    report.addLoss("sampling-adjusted", ["sampling", field]);
    delete wire[key];
  };
  const { temperature, top_p: topP } = wire;
  if (isThinking) {
    if (temperature !== undefined && temperature !== 1) drop("temperature", "temperature");
    if (typeof topP === "number" && topP < 0.95) drop("top_p", "topP");
    if (wire["top_k"] !== undefined) drop("top_k", "topK");
  } else if (typeof temperature === "number" && temperature > 1) {
    report.addLoss("sampling-adjusted", ["sampling", "temperature"]);
    wire["temperature"] = 1;
  }
  const hasBothSamplers = wire["temperature"] !== undefined && wire["top_p"] !== undefined;
  if (hasBothSamplers && SINGLE_SAMPLER_MODELS.test(request.model ?? "")) drop("top_p", "topP");
  const stop = request.sampling?.stop ?? [];
  const accepted = stop.filter((sequence) => sequence.trim() !== "");
  if (accepted.length === stop.length) return;
  wire["stop_sequences"] = accepted;
  stop.forEach((sequence, index) => {
    if (sequence.trim() === "") report.addLoss("sampling-adjusted", ["sampling", "stop", index]);
  });
}
