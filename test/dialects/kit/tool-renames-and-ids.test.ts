// Renames of call ids and tool names, and the ids of decoded calls.
import * as fc from "fast-check";
import { describe, expect, test } from "vitest";
import type { EncodeContext } from "../../../src/dialects/dialect.ts";
import { ToolCallIds } from "../../../src/dialects/kit/tools/tool-call-ids.ts";
import { PROVIDER_LOSSES } from "../../../src/dialects/kit/losses/provider-catalog.ts";
import type { RenameLoss, NameRule } from "../../../src/dialects/kit/tools/tool-renames.ts";
import { RenameTable, restoreName } from "../../../src/dialects/kit/tools/tool-renames.ts";
import { LossReport } from "../../../src/dialects/kit/losses/report.ts";
import { PathTracker } from "../../../src/dialects/kit/fields/path-tracker.ts";
import type { ToolCallPart, ToolResultPart } from "../../../src/model/parts.ts";
import { codePoint } from "../../support/code-points.ts";

const RULE: NameRule = { accepted: /^[a-zA-Z0-9_-]{1,40}$/, invalidCharacters: /[^a-zA-Z0-9_-]/g, maxLength: 40 };

function createTable(rule = RULE, repair = true): { table: RenameTable; context: EncodeContext<RenameLoss> } {
  const pathTracker = new PathTracker();
  const context = {
    dialect: "probe",
    pathTracker,
    report: new LossReport<RenameLoss>(pathTracker, PROVIDER_LOSSES),
    repair,
  };
  return { table: new RenameTable(rule, rule, context), context };
}

describe("tool renames", () => {
  test("B16: an accepted id stays, another is replaced, the same every time, and reported", () => {
    const { table, context } = createTable();
    expect(table.encodeCallId("toolu_1")).toBe("toolu_1");
    const replacement = table.encodeCallId("functions.get:0");
    expect(replacement).toMatch(/^functions_get_0_[a-z0-9]{11}$/);
    expect(table.encodeCallId("functions.get:0")).toBe(replacement);
    expect(table.renames).toEqual({ toolCallIds: { [replacement]: "functions.get:0" } });
    expect(restoreName(replacement, table.renames?.toolCallIds)).toBe("functions.get:0");
    expect(context.report.losses.map(({ code, path }) => `${code} ${path}`)).toEqual([
      "call-id-renamed /toolCallId",
      "call-id-renamed /toolCallId",
    ]);
  });

  test("B16, B30: ids and names map one to one, are accepted, and can be restored", () => {
    fc.assert(
      fc.property(fc.uniqueArray(fc.string({ maxLength: 60, unit: codePoint })), (originals) => {
        const { table } = createTable();
        const replaced = originals.map((name) => table.encodeToolName(name));
        expect(new Set(replaced).size).toBe(originals.length);
        for (const [at, name] of replaced.entries()) {
          expect(name).toMatch(RULE.accepted);
          expect(restoreName(name, table.renames?.toolNames)).toBe(originals[at]);
        }
      }),
    );
  });

  test("B30: an original that equals a replacement gets its own replacement", () => {
    const created = createTable().table.encodeToolName("a.b");
    const { table } = createTable();
    expect([table.encodeToolName("a.b"), table.encodeToolName(created)].sort()).not.toEqual([created, created]);
    expect(new Set([table.encodeToolName("a.b"), table.encodeToolName(created)]).size).toBe(2);
  });

  test("a name with an invalid first character gets a prefix", () => {
    const { table } = createTable({
      accepted: /^[a-z_][a-z0-9_]{0,19}$/,
      invalidCharacters: /[^a-z0-9_]/g,
      maxLength: 20,
      prefix: "_",
    });
    expect(table.encodeToolName("1st")).toMatch(/^_1st_[a-z0-9]{11}$/);
  });

  test("without repairs names do not change", () => {
    expect(createTable(RULE, false).table.encodeCallId("a b")).toBe("a b");
  });
});

describe("decoded call ids", () => {
  const call = (toolName = "f"): ToolCallPart => ({ type: "tool-call", toolCallId: "", toolName, input: {} });
  const result = (toolName = ""): ToolResultPart => ({ type: "tool-result", toolCallId: "", toolName, isError: false });

  test("B17: missing, empty and repeated ids are replaced by unique ids, and results match their calls", () => {
    const calls = new ToolCallIds("probe");
    const parts = [call(), call(), call("g"), call("g"), call("h")];
    const ids = [undefined, "", "x", "x", "call_1"];
    for (const [at, part] of parts.entries()) calls.add(part, ids[at]);
    expect(new Set(parts.map(({ toolCallId }) => toolCallId)).size).toBe(5);
    expect(parts.map(({ extra }) => extra?.["probe"]?.["$form"])).toEqual([
      { id: null },
      { id: "" },
      undefined,
      { id: "x" },
      { id: "call_1" },
    ]);
    const results = [result(), result(), result("f")];
    calls.matchResult(results[0] as ToolResultPart, "x");
    calls.matchResult(results[1] as ToolResultPart, "x");
    calls.matchResult(results[2] as ToolResultPart, undefined);
    expect(results.map(({ toolCallId }) => toolCallId)).toEqual([2, 3, 0].map((at) => parts[at]?.toolCallId));
    expect(results.map(({ toolName }) => toolName)).toEqual(["g", "g", "f"]);
  });

  test("B17: the created ids of two answers differ", () => {
    const [one, other] = [call(), call()];
    new ToolCallIds("probe", "r1").add(one, undefined);
    new ToolCallIds("probe", "r2").add(other, undefined);
    expect(one.toolCallId).not.toBe(other.toolCallId);
  });
});
