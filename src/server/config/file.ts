// What may stand in koine.config.json: every setting once, as data. docs/server.md explains them to users.
import { HTTP_DIALECTS } from "../../client/providers/check.ts";
import { presets } from "../../client/index.ts";
import type { PresetName } from "../../client/index.ts";
import { DEFAULT_LIMITS } from "./defaults.ts";
import { mcpServers } from "./file-mcp.ts";
import type { Setting, ValueOf } from "./setting.ts";
import {
  amount,
  anyText,
  count,
  dictionary,
  either,
  fields,
  flag,
  list,
  matching,
  milliseconds,
  off,
  said,
  text,
  words,
} from "./setting.ts";
import type { ServerLimits } from "./types.ts";

const URL_PATTERN = "^https?://[^\\s/]";
const webUrl = matching(URL_PATTERN, "a URL that begins with https:// or http://");
const headers = dictionary(anyText);

const timeouts = fields(
  {},
  {
    connectMs: said("Until a connection stands.", milliseconds(1)),
    replyMs: said("From sending a request to the headers of its reply.", milliseconds(1)),
    totalMs: said("Until the answer is whole, retries included.", milliseconds(1)),
    gapMs: said("The longest silence within a reply.", milliseconds(1)),
  },
);
const retry = fields(
  {},
  {
    attempts: said("How often a provider is asked at most, the first time included.", count(1)),
    baseMs: said("About the first wait; the next ones are twice as long each.", milliseconds(0)),
    maxMs: said("The longest wait of our own.", milliseconds(0)),
    retryAfterCapMs: said("A provider that wants a longer wait is not waited for.", milliseconds(0)),
  },
);

const provider = fields(
  {},
  {
    preset: said(
      "A well-known provider, whose address and dialect need not be said.",
      // The keys of the table.
      words(...(Object.keys(presets) as PresetName[])),
    ),
    dialect: said("What it speaks. Needed unless a preset says it.", words(...HTTP_DIALECTS)),
    baseUrl: said("Where it is, with or without its version. Default: the official address.", webUrl),
    apiKey: said('Its key, best as "$NAME".', text),
    vendor: said('Whose habits it has: "ollama", "deepseek", "openrouter" …', text),
    issuer: said("What its signatures are stamped with. Default: its name here.", text),
    headers: said("Sent with every request.", headers),
    query: said("Added to every URL, such as Azure's api-version.", dictionary(anyText)),
    region: said("Bedrock: part of its address.", matching("^[a-z\\d-]+$", 'a region such as "us-east-1"')),
    state: said("Responses: whether the history is sent again.", words("resend", "previous-response")),
    store: said("Responses: whether the provider keeps what it answers.", flag),
    timeouts,
    retry,
  },
);

const target = matching("^[^/\\s]+/\\S", 'a model as "provider/model"');
const targets = either(target, list(target, 1));
const rule = either(
  target,
  list(target, 1),
  fields({ to: said("Where calls go, in this order until one answers.", targets) }, { timeouts, retry }),
);

const RATE = amount(0);
const RATES = { reasoning: RATE, cacheRead: RATE, cacheWrite5m: RATE, cacheWrite1h: RATE };
const price = fields(
  { input: RATE, output: RATE },
  { ...RATES, tiers: list(fields({ input: RATE, output: RATE, aboveInputTokens: RATE }, RATES)) },
);

const hash = matching(
  "^sha256:[\\da-fA-F]{64}$",
  '"sha256:" and 64 hex digits',
  'Run "koine token hash" and type the token, or "koine token create" for a new one.',
);
const tenant = fields(
  {},
  {
    tokens: said(
      'Hashes of its tokens, as "koine token create" prints them.',
      list(either(hash, fields({ hash, name: said("Shown in logs; what it records is known under it.", text) }, {}))),
    ),
    maxOpen: said("The most calls and streams that it may have open.", count(1)),
  },
);

/** JSON beyond that depth is not read anyway. */
const MAX_DEPTH = 1000;
const limits = fields(
  {},
  // One for each that has a default.
  Object.fromEntries(
    Object.keys(DEFAULT_LIMITS).map((name) => [
      name,
      name === "depth" ? count(1, MAX_DEPTH) : name.endsWith("Ms") ? milliseconds(1) : count(1),
    ]),
  ) as Record<keyof ServerLimits, Setting<number>>,
);

const ledger = fields(
  {},
  {
    url: said("sqlite:path, postgres://… or memory:. Default: koine.db in the data folder.", text),
    sync: said('"full" survives a power cut, "normal" the end of the process.', words("full", "normal")),
    flushMs: said("How often deltas of a live run are written.", milliseconds(0)),
    leaseMs: said("How long a writer may be silent before its run counts as abandoned.", milliseconds(1)),
    connections: said("Postgres: the most connections.", count(1)),
  },
);

const record = fields(
  {},
  {
    enabled: said("Whether calls are recorded that do not say.", flag),
    onFailure: said("What happens to a call that cannot be recorded.", words("refuse", "serve")),
    maxWaitMs: said("The longest that the end of a reply waits for its record.", milliseconds(0)),
  },
);

const tasks = fields(
  {},
  {
    model: said('The model of tasks that name none. Default: "demo/koine".', text),
    instructions: said("A system message in front of every call.", text),
    mcpServers: said("Where their tools come from.", mcpServers),
    maxSteps: said("The most calls of the model for one message.", count(1)),
    toolTimeoutMs: said("How long a tool may take.", milliseconds(1)),
  },
);

export const LOG_LEVELS = ["debug", "info", "warn", "error", "silent"] as const;
export const LOG_FORMATS = ["json", "text"] as const;
const level = words(...LOG_LEVELS);
const log = either(level, fields({}, { level, format: words(...LOG_FORMATS) }));

const telemetry = either(
  off,
  fields(
    { url: said("An OTLP endpoint over HTTP; /v1/traces is added where it is not there.", webUrl) },
    { headers: said("Sent with every export.", headers), serviceName: text },
  ),
);

/** Names of providers stand in headers. */
const NAMES = { pattern: "^[!-.0-~]+$", means: "of ASCII letters, digits and signs, without slashes and spaces" };
export const TENANTS = { pattern: "^\\S(.{0,198}\\S)?$", means: "1 to 200 characters without spaces around them" };
const HOST = matching("^(\\*|[\\w.-]+|\\[[\\da-fA-F:.]+\\])$", "the name of a host, without https:// and port");
const ORIGIN = matching(
  "^(\\*|[a-zA-Z][a-zA-Z\\d+.-]*://[^\\s/]+)$",
  'an origin such as "https://app.example.com", without a path',
);

export const CONFIG_FILE = fields(
  {},
  {
    $schema: said("For editors.", anyText),
    host: said("The address to listen on. Default: 127.0.0.1.", text),
    port: said("The port to listen on; 0 takes any that is free. Default: 4141.", count(0, 65_535)),
    data: said("The data folder, from this file's folder. Default: koine-data.", text),
    ledger: said("Where conversations are kept: a URL, or more.", either(text, ledger)),
    providers: said(
      "By name. Those whose keys are in the environment are there without being named; false leaves one out.",
      dictionary(either(off, provider), NAMES),
    ),
    defaultProvider: said("Asked for models that name no provider.", text),
    models: said("Names for models, and where calls for them go.", dictionary(rule)),
    prices: said("US dollars per million tokens, by model.", dictionary(price)),
    record: said("Whether and how calls are recorded.", either(flag, record)),
    tasks: said("Agents that the server runs.", tasks),
    tenants: said("Who may use it. Without any, everybody who can reach it.", dictionary(tenant, TENANTS)),
    unprotected: said(
      "true: listens beyond loopback without tenants, too; whoever can reach it may do everything.",
      flag,
    ),
    limits: said("What it takes from clients.", limits),
    hosts: said("Names under which it may be reached, beside loopback and host.", list(HOST)),
    origins: said("Origins of pages that may call it, beside its own.", list(ORIGIN)),
    heartbeatMs: said("How often a silent stream is kept alive.", milliseconds(1)),
    drainMs: said("How long shutdown waits for what is under way.", milliseconds(0)),
    lameDuckMs: said(
      "How long a server that shuts down still listens, and only refuses new calls. Default: 2 s, on loopback 0.",
      milliseconds(0),
    ),
    log: said("The level, or level and format.", log),
    telemetry: said("Where spans are sent to; false: nowhere, whatever the environment says.", telemetry),
  },
);

export type ConfigFile = ValueOf<typeof CONFIG_FILE>;
