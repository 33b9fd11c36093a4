// Tests the model of a chat's next call and the settings that it repeats from the last one.
import { describe, expect, test } from "vitest";
import {
  describeInheritedSettings,
  readLastCall,
  findLastRunId,
  omitsTools,
  chooseNextModel,
  withTools,
} from "../../../ui/composer/model/last-call.ts";
import type { OutlineNode } from "../../../ui/data/types.ts";

const models = ["openai/gpt-5", "demo/koine"].map((id) => ({ id, provider: id.split("/")[0] ?? "" }));

describe("the model of the next call", () => {
  const call = (requested: string) =>
    readLastCall({ metadata: { provider: "other", model: "opus", request: { model: requested } } });
  test.each([
    ["the chosen one", { model: "openai/gpt-5" }, call("other/opus"), "openai/gpt-5"],
    ["the model of the last call", {}, call("other/opus"), "other/opus"],
    ["the model that answered, if the call named no provider", {}, call("opus"), "other/opus"],
    ["the default model of a chat, if no call is known", {}, undefined, "demo/koine"],
  ])("is %s", (_, ask, last, expected) => {
    expect(chooseNextModel(ask, last, models)).toBe(expected);
  });

  test("comes from the last recorded answer of the shown branch", () => {
    const node = (id: string, runId?: string): [string, OutlineNode] => [
      id,
      { id, role: "user", parentMessageId: null, createdAt: "", preview: "", ...(runId !== undefined && { runId }) },
    ];
    const nodes = new Map([node("a"), node("b", "run"), node("c"), node("d", "elsewhere")]);
    expect(findLastRunId({ path: ["a", "b", "c"], nodes })).toBe("run");
    expect(findLastRunId({ path: ["a"], nodes })).toBeUndefined();
  });
});

describe("the settings that the next call repeats", () => {
  const sdk = {
    dialect: "openai-chat",
    request: { model: "a/b", tools: [{ name: "f" }], sampling: { temperature: 0.3 } },
    same: { instructions: { hash: "x" } },
  };
  test.each<[string, Record<string, unknown>, object, string | undefined]>([
    ["all settings of a foreign call", sdk, {}, "Sends the last call’s 1 tool, system prompt and settings."],
    ["its tools alone", { ...sdk, same: {}, request: { tools: [{}, {}] } }, {}, "Sends the last call’s 2 tools."],
    [
      "the remaining settings without the tools",
      sdk,
      withTools({ settings: { sampling: {} } }, false),
      "Sends the last call’s system prompt.",
    ],
    [
      "settings that the page does not set itself",
      sdk,
      withTools({}, false),
      "Sends the last call’s system prompt and settings.",
    ],
    [
      "no settings of the page's own call",
      { dialect: "canonical", request: { model: "m", sampling: {} } },
      {},
      undefined,
    ],
    [
      "tools that the page sends again",
      { dialect: "canonical", request: { tools: [{}] } },
      {},
      "Sends the last call’s 1 tool.",
    ],
    [
      "tools that are omitted",
      { dialect: "canonical", request: { tools: [] } },
      withTools({}, false),
      "Sends none of the last call’s tools.",
    ],
  ])("are described: %s", (_, metadata, ask, description) => {
    expect(describeInheritedSettings(readLastCall({ metadata }), ask)).toBe(description);
  });

  test("tools can be omitted and included again without changing other settings", () => {
    const without = withTools({ model: "m", settings: { sampling: { temperature: 1 } } }, false);
    expect(without.settings).toStrictEqual({ sampling: { temperature: 1 }, tools: [], toolChoice: "auto" });
    expect([omitsTools(without), omitsTools({})]).toStrictEqual([true, false]);
    expect(withTools(without, true).settings).toStrictEqual({ sampling: { temperature: 1 } });
  });
});
