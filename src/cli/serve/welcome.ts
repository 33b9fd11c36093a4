// What a server says when it stands: where it is, what it serves, and what to paste into each SDK.
import type { ServerConfig } from "../../server/config/index.ts";
import type { Paint } from "../show/style.ts";
import { visibleLine } from "../show/visible.ts";
import { clipTo, padTo } from "../show/width.ts";
import { placeOfLedger } from "./data-folder.ts";

export interface Standing {
  url: string;
  config: ServerConfig;
  /** The file that the settings are in. */
  file: string | undefined;
  version: string;
}

/** One line for those who only want to know that it stands. */
export function readyLine({ url }: Standing): string {
  return `koine listens on ${url}\n`;
}

/** The same and more as data. */
export function readyData({ url, config, file, version }: Standing): string {
  const providers = Object.keys(config.providers);
  const facts = { url, version, pid: process.pid, ledger: placeOfLedger(config), config: file ?? null, providers };
  return `${JSON.stringify(facts)}\n`;
}

export function welcome(standing: Standing, columns: number, paint: Paint): string {
  const { url, version } = standing;
  const facts = factsOf(standing).map(
    ([name, value]) => `  ${paint("dim", padTo(name, 11))} ${fit(value, columns - 14)}`,
  );
  const sdks = SDKS.map(([name, line]) => `  ${padTo(name, 16)} ${paint("cyan", line(url))}`);
  return [
    "",
    `  ${paint("bold", `Koine ${version}`)} listens on ${paint(["bold", "cyan"], url)}`,
    "",
    ...facts,
    "",
    `  ${paint("bold", "Try it")}`,
    ...curl(url, standing.config).map((line) => `  ${paint("cyan", line)}`),
    "",
    `  ${paint("bold", "Point an SDK at it")}, with ${keyHint(standing.config)}`,
    ...sdks,
    "",
    `  ${paint("dim", "Ctrl-C ends it; a second one at once.")}`,
    "",
    "",
  ].join("\n");
}

function fit(text: string, columns: number): string {
  return clipTo(visibleLine(text), Math.max(columns, 20));
}

function factsOf({ config, file }: Standing): [name: string, value: string][] {
  const { providers, models, tenants, tasks } = config;
  const rules = models.map(({ pattern, targets }) => `${pattern} → ${targets.join(", ")}`);
  const facts: [string, string][] = [
    ["transcripts", placeOfLedger(config)],
    ["settings", file ?? "none; koine.config.json is read where there is one"],
    ["providers", Object.keys(providers).join(", ")],
  ];
  if (rules.length > 0) facts.push(["models", rules.join("; ")]);
  if (tenants.size > 0) facts.push(["tenants", [...tenants.keys()].join(", ")]);
  if (tasks.mcpServers.length > 0) facts.push(["tools", tasks.mcpServers.map(({ name }) => name).join(", ")]);
  return facts;
}

function keyHint({ tenants }: ServerConfig): string {
  return tenants.size === 0 ? "any key" : 'a token of "koine token create" as its key';
}

function curl(url: string, { tenants, providers }: ServerConfig): string[] {
  const token = tenants.size === 0 ? "" : ' -H "authorization: Bearer $TOKEN"';
  const model = "demo" in providers ? "demo/koine" : `${Object.keys(providers)[0] ?? "provider"}/model`;
  const body = JSON.stringify({ model, messages: [{ role: "user", content: "Hello" }] });
  return [`curl ${url}/v1/chat/completions -H "content-type: application/json"${token} \\`, `  -d '${body}'`];
}

/** Base URLs as each SDK wants them. */
const SDKS: readonly (readonly [name: string, line: (url: string) => string])[] = [
  ["OpenAI, Node", (url) => `new OpenAI({ baseURL: "${url}/v1", apiKey: "any" })`],
  ["OpenAI, Python", (url) => `OpenAI(base_url="${url}/v1", api_key="any")`],
  ["Anthropic", (url) => `new Anthropic({ baseURL: "${url}", apiKey: "any" })`],
  ["Google GenAI", (url) => `new GoogleGenAI({ apiKey: "any", httpOptions: { baseUrl: "${url}" } })`],
  ["AI SDK", (url) => `createOpenAI({ baseURL: "${url}/v1", apiKey: "any" })`],
];
