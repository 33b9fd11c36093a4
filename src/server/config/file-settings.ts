// Describes all settings of koine.config.json as data. docs/server.md explains them to users.
import { HTTP_DIALECTS } from "../../calls/index.ts";
import { isRecord } from "../../model/value-kind.ts";
import { presets } from "../../client/index.ts";
import type { PresetName } from "../../client/index.ts";
import { DEFAULT_LIMITS } from "./defaults.ts";
import { mcpServers } from "./mcp-servers.ts";
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
  describe,
  text,
  choice,
  codeOnly,
  timeLimit,
} from "./setting.ts";
import type { ServerLimits } from "./types.ts";

const URL_PATTERN = "^https?://[^\\s/]";
const webUrl = matching(URL_PATTERN, "a URL that begins with https:// or http://");
const headers = dictionary(anyText);
const isFunction = (value: unknown): boolean => typeof value === "function";

const timeouts = fields(
  {},
  {
    connectMs: describe("Time limit for connecting.", timeLimit),
    replyMs: describe("Time limit from sending a request to the headers of its reply.", timeLimit),
    totalMs: describe("Time limit for the complete answer, including retries.", timeLimit),
    gapMs: describe("Longest silence within a reply; a heartbeat counts as data.", timeLimit),
  },
);
const retry = fields(
  {},
  {
    attempts: describe("Maximum number of attempts at a provider, including the first.", count(1)),
    baseMs: describe("Approximate wait before the first retry; each further wait is twice as long.", milliseconds(0)),
    maxMs: describe("Longest wait before a retry.", milliseconds(0)),
    retryAfterCapMs: describe(
      "Longest wait that a provider may request; if it requests a longer one, the attempts at it end at once.",
      milliseconds(0),
    ),
  },
);

const provider = fields(
  {},
  {
    preset: describe(
      "A well-known provider with a known URL and dialect.",
      // The cast is safe: the keys of `presets` are preset names.
      choice(...(Object.keys(presets) as PresetName[])),
    ),
    dialect: describe("The dialect of the provider. Required without a preset.", choice(...HTTP_DIALECTS)),
    baseUrl: describe("The base URL, with or without the API version. Default: the official URL.", webUrl),
    apiKey: describe(
      'The API key, preferably as "$NAME".',
      either(codeOnly("a function that returns the key", isFunction), text),
    ),
    vendor: describe('The vendor whose deviations from the dialect apply: "ollama", "deepseek", "openrouter" …', text),
    issuer: describe("The issuer of the provider's signatures. Default: the provider's name.", text),
    headers: describe(
      "Headers that are sent with every request.",
      either(
        codeOnly("headers", (value) => isRecordOrList(value) && Symbol.iterator in value),
        headers,
      ),
    ),
    sign: codeOnly("a function that returns headers", isFunction),
    query: describe("Query parameters that are added to every URL, such as Azure's api-version.", dictionary(anyText)),
    region: describe("Bedrock: the region in the URL.", matching("^[a-z\\d-]+$", 'a region such as "us-east-1"')),
    state: describe(
      "Responses: sends the whole history (resend), or the new messages with previous_response_id (previous-response).",
      choice("resend", "previous-response"),
    ),
    store: describe("Responses: true if the provider stores its answers.", flag),
    timeouts,
    retry,
  },
);

function isRecordOrList(value: unknown): value is object {
  return isRecord(value) || Array.isArray(value);
}

/** The setting of a local provider: an object with the method `answer`, which may be an instance of a class. */
const localProvider = codeOnly("a provider with a function `answer`", (value) => isRecord(value) && "answer" in value);

const target = matching("^[^/\\s]+/\\S", 'a model as "provider/model"');
const targets = either(target, list(target, 1));
const rule = either(
  target,
  list(target, 1),
  fields({ to: describe("The targets, tried in this order until one answers.", targets) }, { timeouts, retry }),
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
    tokens: describe(
      'Hashes of the tenant\'s tokens, as printed by "koine token create".',
      list(
        either(
          hash,
          fields(
            {
              hash,
              name: describe(
                "The name of the token in logs, and the scope of the threads that are recorded with it.",
                text,
              ),
            },
            {},
          ),
        ),
      ),
    ),
    maxOpen: describe("Limit of open calls and streams of the tenant.", count(1)),
  },
);

/** The maximum of the setting `limits.depth`, which is also the limit of the JSON parser. */
const MAX_DEPTH = 1000;
const limits = fields(
  {},
  // The cast is safe, because the keys of `DEFAULT_LIMITS` are the keys of `ServerLimits`.
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
    url: describe("sqlite:path, postgres://… or memory:. Default: koine.db in the data folder.", text),
    sync: describe(
      '"full": committed data survives a power failure; "normal": it survives only a crash of the process.',
      choice("full", "normal"),
    ),
    flushMs: describe("Interval for writing the deltas of a live run.", milliseconds(0)),
    leaseMs: describe("A run is recovered if its writer has not renewed the lease for this time.", milliseconds(1)),
    connections: describe("Postgres: maximum number of connections.", count(1)),
  },
);

const record = fields(
  {},
  {
    enabled: describe("Records calls by default; the header x-koine-record overrides it.", flag),
    onFailure: describe(
      "The policy for a call that cannot be recorded: refuse it, or serve it and log the failure.",
      choice("refuse", "serve"),
    ),
    maxWaitMs: describe("Maximum time that the end of a reply waits until the call is recorded.", milliseconds(0)),
  },
);

const tasks = fields(
  {},
  {
    model: describe('The model of tasks that are created without a model. Default: "demo/koine".', text),
    instructions: describe("A system message for every model call.", text),
    mcpServers: describe("MCP servers that provide tools.", mcpServers),
    maxSteps: describe("Maximum number of model calls per message.", count(1)),
    toolTimeoutMs: describe("Time limit of a tool call.", milliseconds(1)),
  },
);

export const LOG_LEVELS = ["debug", "info", "warn", "error", "silent"] as const;
export const LOG_FORMATS = ["json", "text"] as const;
const level = choice(...LOG_LEVELS);
const log = either(level, fields({}, { level, format: choice(...LOG_FORMATS) }));

const telemetry = either(
  off,
  fields(
    { url: describe("An OTLP endpoint over HTTP; /v1/traces is added if missing.", webUrl) },
    { headers: describe("Headers that are sent with every export.", headers), serviceName: text },
  ),
);

/** The pattern of provider names. Provider names must be ASCII, because they appear in HTTP headers. */
const NAMES = { pattern: "^[!-.0-~]+$", means: "ASCII letters, digits and symbols, without slashes and spaces" };
export const TENANTS = {
  pattern: "^\\S(.{0,198}\\S)?$",
  means: "1 to 200 characters without leading or trailing spaces",
};
const HOST = matching("^(\\*|[\\w.-]+|\\[[\\da-fA-F:.]+\\])$", "the name of a host, without https:// and port");
const ORIGIN = matching(
  "^(\\*|[a-zA-Z][a-zA-Z\\d+.-]*://[^\\s/]+)$",
  'an origin such as "https://app.example.com", without a path',
);

export const CONFIG_FILE = fields(
  {},
  {
    $schema: describe("The URL or path of this JSON Schema, for editors.", anyText),
    host: describe("The address on which the server listens. Default: 127.0.0.1.", text),
    port: describe("The port on which the server listens; 0 uses any free port. Default: 4141.", count(0, 65_535)),
    data: describe("The data folder, relative to this file. Default: koine-data.", text),
    ledger: describe("The database of conversations: a URL, or an object with more settings.", either(text, ledger)),
    providers: describe(
      "Providers by name. Providers with a key in the environment are added automatically; false removes one.",
      dictionary(either(off, localProvider, provider), NAMES),
    ),
    defaultProvider: describe("The provider for model names without a provider prefix.", text),
    models: describe("Model names and patterns, and their targets.", dictionary(rule)),
    prices: describe("US dollars per million tokens, by model.", dictionary(price)),
    record: describe("Recording of calls: true, false, or an object with more settings.", either(flag, record)),
    tasks: describe("Settings of the tasks that the server runs.", tasks),
    tenants: describe(
      "The tenants that may use the server. If there are none, everyone who can reach the server may use it.",
      dictionary(tenant, TENANTS),
    ),
    unprotected: describe(
      "true: allows listening beyond loopback without tenants; everyone who can reach the server has full access.",
      flag,
    ),
    limits: describe("Limits for clients.", limits),
    hosts: describe("Host names under which the server may be reached, besides loopback and host.", list(HOST)),
    origins: describe("Origins of pages that may call the server, besides its own.", list(ORIGIN)),
    heartbeatMs: describe("Interval of heartbeats in a silent stream.", milliseconds(1)),
    drainMs: describe("Time limit for open requests at shutdown.", milliseconds(0)),
    lameDuckMs: describe(
      "At shutdown, the server still listens this long and rejects new calls. Default: 2 s, on loopback 0.",
      milliseconds(0),
    ),
    log: describe("The log level, or an object with level and format.", log),
    telemetry: describe("The destination of spans; false: none, even if the environment names one.", telemetry),
  },
);

/** The type of the settings in koine.config.json. */
export type ConfigFile = ValueOf<typeof CONFIG_FILE>;
