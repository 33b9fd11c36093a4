// Koine's server as in `koine serve`, with the provider under two names. The arguments are the provider's address, the
// recording mode ("off", or the durability "normal" or "full"), and the data folder.
import { completeConfig } from "../../src/server/config/complete-config.ts";
import { createServer } from "../../src/server/index.ts";

const [upstream = "", record = "off", folder = ""] = process.argv.slice(2);
const config = completeConfig({
  port: 0,
  log: { level: "warn", format: "json" },
  providers: {
    chat: { dialect: "openai-chat", baseUrl: `${upstream}/v1`, apiKey: "bench-key-0123456789" },
    claude: { dialect: "anthropic", baseUrl: upstream, apiKey: "bench-key-0123456789" },
  },
  record: { enabled: record !== "off" },
  ledger: {
    url: record === "off" ? "memory:" : `sqlite:${folder}/koine.db`,
    sync: record === "normal" ? "normal" : "full",
  },
});
const server = await createServer(config);
await server.listen();
console.log(server.url);
