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
    ["the one that was chosen", { model: "openai/gpt-5" }, call("other/opus"), "openai/gpt-5"],
    ["the one that the last call named", {}, call("other/opus"), "other/opus"],
    ["the one that answered, where the call named no provider", {}, call("opus"), "other/opus"],
    ["the one that a chat begins with, where no call is known", {}, undefined, "demo/koine"],
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
    ["everything of another's call", sdk, {}, "Sends the last call’s 1 tool, system prompt and settings."],
    ["its tools alone", { ...sdk, same: {}, request: { tools: [{}, {}] } }, {}, "Sends the last call’s 2 tools."],
    [
      "what is left without the tools",
      sdk,
      withTools({ settings: { sampling: {} } }, false),
      "Sends the last call’s system prompt.",
    ],
    ["settings that are not set anew", sdk, withTools({}, false), "Sends the last call’s system prompt and settings."],
    [
      "nothing of a call of the page's own",
      { dialect: "canonical", request: { model: "m", sampling: {} } },
      {},
      undefined,
    ],
    [
      "tools that the page goes on sending",
      { dialect: "canonical", request: { tools: [{}] } },
      {},
      "Sends the last call’s 1 tool.",
    ],
    [
      "that tools are left out",
      { dialect: "canonical", request: { tools: [] } },
      withTools({}, false),
      "Sends none of the last call’s tools.",
    ],
  ])("are described: %s", (_, metadata, ask, words) => {
    expect(describeInheritedSettings(readLastCall({ metadata }), ask)).toBe(words);
  });

  test("tools can be omitted and included again without changing other settings", () => {
    const without = withTools({ model: "m", settings: { sampling: { temperature: 1 } } }, false);
    expect(without.settings).toStrictEqual({ sampling: { temperature: 1 }, tools: [], toolChoice: "auto" });
    expect([omitsTools(without), omitsTools({})]).toStrictEqual([true, false]);
    expect(withTools(without, true).settings).toStrictEqual({ sampling: { temperature: 1 } });
  });
});
