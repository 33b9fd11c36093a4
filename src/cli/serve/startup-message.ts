// Formats the message that a started server prints: its address, its configuration and examples for each SDK.
import type { ServerConfig } from "../../server/config/index.ts";
import type { Paint } from "../show/style.ts";
import { escapeToLine } from "../show/escape-unsafe.ts";
import { clipToWidth, padToWidth } from "../show/text-width.ts";
import { describeLedger } from "./data-folder.ts";

export interface StartedServer {
  url: string;
  config: ServerConfig;
  /** The path of the configuration file; undefined if there is none. */
  configFile: string | undefined;
  version: string;
}

/** Formats the line that a started server prints if standard output is not a terminal. */
export function formatReadyLine({ url }: StartedServer): string {
  return `koine listens on ${url}\n`;
}

/** Formats the line that a started server prints with `--json`. */
export function formatReadyJson({ url, config, configFile, version }: StartedServer): string {
  const providers = Object.keys(config.providers);
  const details = {
    url,
    version,
    pid: process.pid,
    ledger: describeLedger(config),
    config: configFile ?? null,
    providers,
  };
  return `${JSON.stringify(details)}\n`;
}

export function formatWelcome(server: StartedServer, columns: number, paint: Paint): string {
  const { url, version } = server;
  const details = listServerDetails(server).map(
    ([name, value]) => `  ${paint("dim", padToWidth(name, 11))} ${clipLine(value, columns - 14)}`,
  );
  const sdks = SDK_EXAMPLES.map(([name, line]) => `  ${padToWidth(name, 16)} ${paint("cyan", line(url))}`);
  return [
    "",
    `  ${paint("bold", `Koine ${version}`)} listens on ${paint(["bold", "cyan"], url)}`,
    "",
    ...details,
    "",
    `  ${paint("bold", "Try it")}`,
    ...formatCurlExample(url, server.config).map((line) => `  ${paint("cyan", line)}`),
    "",
    `  ${paint("bold", "Point an SDK at it")}, with ${describeKey(server.config)}`,
    ...sdks,
    "",
    `  ${paint("dim", "Ctrl-C stops the server after its open calls; a second Ctrl-C stops it at once.")}`,
    "",
    "",
  ].join("\n");
}

function clipLine(text: string, columns: number): string {
  return clipToWidth(escapeToLine(text), Math.max(columns, 20));
}

function listServerDetails({ config, configFile }: StartedServer): [name: string, value: string][] {
  const { providers, models, tenants, tasks } = config;
  const rules = models.map(({ pattern, targets }) => `${pattern} → ${targets.join(", ")}`);
  const details: [string, string][] = [
    ["transcripts", describeLedger(config)],
    ["settings", configFile ?? "none; koine.config.json is read if it exists"],
    ["providers", Object.keys(providers).join(", ")],
  ];
  if (rules.length > 0) details.push(["models", rules.join("; ")]);
  if (tenants.size > 0) details.push(["tenants", [...tenants.keys()].join(", ")]);
  if (tasks.mcpServers.length > 0) details.push(["tools", tasks.mcpServers.map(({ name }) => name).join(", ")]);
  return details;
}

function describeKey({ tenants }: ServerConfig): string {
  return tenants.size === 0 ? "any key" : 'a token from "koine token create" as the key';
}

function formatCurlExample(url: string, { tenants, providers }: ServerConfig): string[] {
  const token = tenants.size === 0 ? "" : ' -H "authorization: Bearer $TOKEN"';
  const model = "demo" in providers ? "demo/koine" : `${Object.keys(providers)[0] ?? "provider"}/model`;
  const body = JSON.stringify({ model, messages: [{ role: "user", content: "Hello" }] });
  return [`curl ${url}/v1/chat/completions -H "content-type: application/json"${token} \\`, `  -d '${body}'`];
}

/** The name of each SDK, and the line of code that sets the server's base URL in it. */
const SDK_EXAMPLES: readonly (readonly [name: string, line: (url: string) => string])[] = [
  ["OpenAI, Node", (url) => `new OpenAI({ baseURL: "${url}/v1", apiKey: "any" })`],
  ["OpenAI, Python", (url) => `OpenAI(base_url="${url}/v1", api_key="any")`],
  ["Anthropic", (url) => `new Anthropic({ baseURL: "${url}", apiKey: "any" })`],
  ["Google GenAI", (url) => `new GoogleGenAI({ apiKey: "any", httpOptions: { baseUrl: "${url}" } })`],
  ["AI SDK", (url) => `createOpenAI({ baseURL: "${url}/v1", apiKey: "any" })`],
];
