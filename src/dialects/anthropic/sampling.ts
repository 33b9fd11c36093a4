// Settings of sampling: their names both ways, and what the target takes of them.
import type { JsonObject } from "../../model/json.ts";
import type { ModelRequest, Sampling } from "../../model/request.ts";
import { FieldTable } from "../kit/fields.ts";
import { ONE_SAMPLER } from "./models.ts";
import type { Writing } from "./writing.ts";

export const SAMPLING = new FieldTable<keyof Sampling>([
  ["max_tokens", "maxOutputTokens", "number"],
  ["temperature", "temperature", "number"],
  ["top_p", "topP", "number"],
  ["top_k", "topK", "number"],
  ["stop_sequences", "stop", "strings"],
]);

/** Brings sampling within its limits, which are narrower while the model thinks. */
export function fitSampling(request: ModelRequest, wire: JsonObject, isThinking: boolean, { context }: Writing): void {
  const { report } = context;
  const unfit = (key: string, field: keyof Sampling): void => {
    report.addLoss("sampling-unfit", ["sampling", field]);
    delete wire[key];
  };
  const { temperature, top_p: topP } = wire;
  if (isThinking) {
    if (temperature !== undefined && temperature !== 1) unfit("temperature", "temperature");
    if (typeof topP === "number" && topP < 0.95) unfit("top_p", "topP");
    if (wire["top_k"] !== undefined) unfit("top_k", "topK");
  } else if (typeof temperature === "number" && temperature > 1) {
    report.addLoss("sampling-unfit", ["sampling", "temperature"]);
    wire["temperature"] = 1;
  }
  if (wire["temperature"] !== undefined && wire["top_p"] !== undefined && ONE_SAMPLER.test(request.model ?? "")) {
    unfit("top_p", "topP");
  }
  const stop = request.sampling?.stop ?? [];
  const words = stop.filter((word) => word.trim() !== "");
  if (words.length === stop.length) return;
  wire["stop_sequences"] = words;
  stop.forEach((word, index) => {
    if (word.trim() === "") report.addLoss("sampling-unfit", ["sampling", "stop", index]);
  });
}
