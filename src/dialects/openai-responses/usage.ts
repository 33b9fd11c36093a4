// Token counts. The wire counts as the model does: cached tokens within the input, reasoning within the output.
import type { JsonObject } from "../../model/json.ts";
import type { Usage } from "../../model/usage.ts";
import type { DecodeContext, EncodeContext } from "../dialect.ts";
import { keepOthers } from "../kit/openai-reading.ts";
import { copyField, isObject } from "../kit/read.ts";
import { storeForm, reportNotPortableResidue, reportUnsupportedFields, restoreResidue } from "../kit/residue.ts";
import type { Code } from "./losses.ts";
import { wasAbsent } from "./writing.ts";

type Count =
  | "inputTokens"
  | "outputTokens"
  | "totalTokens"
  | "cacheReadTokens"
  | "cacheWriteTokens"
  | "reasoningTokens";

/** Where each count stands: at the top, or among the details of the input or of the output. */
const PLACES = [
  [
    undefined,
    [
      ["input_tokens", "inputTokens"],
      ["output_tokens", "outputTokens"],
      ["total_tokens", "totalTokens"],
    ],
  ],
  [
    "input_tokens_details",
    [
      ["cached_tokens", "cacheReadTokens"],
      ["cache_write_tokens", "cacheWriteTokens"],
    ],
  ],
  ["output_tokens_details", [["reasoning_tokens", "reasoningTokens"]]],
] as const satisfies readonly [string | undefined, readonly (readonly [string, Count])[]][];

export function decodeUsage(wire: JsonObject, context: DecodeContext): Usage {
  const usage: Usage = { inputTokens: 0, outputTokens: 0, totalTokens: 0, raw: wire };
  const absent: string[] = [];
  const details: string[] = [];
  for (const [inner, counts] of PLACES) {
    const group = inner === undefined ? wire : wire[inner];
    const known: string[] = [];
    for (const [name, count] of counts) {
      if (isObject(group) && typeof group[name] === "number") {
        copyField(group, name, usage, count);
        known.push(name);
      } else absent.push(name);
    }
    if (inner === undefined) details.push(...known);
    else if (isObject(group)) {
      details.push(inner);
      keepOthers(usage, group, known, context, inner);
    } else absent.push(inner);
  }
  if (absent.includes("total_tokens")) usage.totalTokens = usage.inputTokens + usage.outputTokens;
  if (absent.length > 0) storeForm(usage, context.dialect, "absent", absent);
  keepOthers(usage, wire, details, context);
  return usage;
}

const CARRIED: ReadonlySet<string> = new Set([
  ...PLACES.flatMap(([, counts]) => counts.map(([, count]): string => count)),
  "extra",
  "raw",
]);

export function encodeUsage(usage: Usage, context: EncodeContext<Code>): JsonObject {
  const wire: JsonObject = {};
  for (const [inner, counts] of PLACES) {
    const group: JsonObject = inner === undefined ? wire : {};
    for (const [name, count] of counts) {
      const isUnsaid = wasAbsent(usage, name, context) && (usage[count] ?? 0) === expected(usage, count);
      if (!isUnsaid) writeCount(group, name, usage, count);
    }
    if (inner !== undefined && (!wasAbsent(usage, inner, context) || Object.keys(group).length > 0))
      wire[inner] = group;
  }
  reportUnsupportedFields(usage, CARRIED, context, "echo-foreign");
  reportNotPortableResidue<Code>(usage, context, {}, "echo-foreign");
  restoreResidue(wire, usage, context, "input_tokens_details", "output_tokens_details");
  return wire;
}

/** What an absent count was read as. */
function expected(usage: Usage, count: Count): number {
  return count === "totalTokens" ? usage.inputTokens + usage.outputTokens : 0;
}

/** Clients expect every count: what nobody counted is none. */
function writeCount(group: JsonObject, name: string, usage: Usage, count: Count): void {
  if (usage[count] === undefined) group[name] = 0;
  else copyField(usage, count, group, name);
}
