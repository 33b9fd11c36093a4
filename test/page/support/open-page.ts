// A real server on a real SQLite file, and a real browser in front of it. Whatever the page complains of, and every request
// that would leave for another address, is written down; a test that did not expect it fails when it lets go.
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Browser, BrowserContext, BrowserContextOptions, Page } from "playwright-core";
import type { ConfigInput } from "../../../src/server/config/defaults.ts";
import type { KoineServer, ServerOptions } from "../../../src/server/server.ts";
import { startKoine } from "../../server/support/koine.ts";
import { sharedBrowser } from "./chromium.ts";

export interface OpenOptions {
  /** Of the server, beside its SQLite file. */
  config?: ConfigInput;
  options?: ServerOptions;
  /** Viewport, colour scheme and the like. */
  context?: BrowserContextOptions;
  /** Where to begin. Default "/". */
  path?: string;
  browser?: Browser;
}

export interface OpenPage extends AsyncDisposable {
  readonly koine: KoineServer;
  readonly context: BrowserContext;
  readonly page: Page;
  /** Errors of the page, its console included, and breaches of its policy. Empty it where they are expected. */
  readonly complaints: string[];
  /** Requests to other addresses than the server's; each was stopped. */
  readonly strayed: string[];
  /** Another tab of the same browser. */
  tab(path?: string): Promise<Page>;
}

export async function openPage({
  config,
  options,
  context: wanted,
  path = "/",
  browser,
}: OpenOptions = {}): Promise<OpenPage> {
  const folder = mkdtempSync(join(tmpdir(), "koine-page-"));
  const ledger = { url: `sqlite:${join(folder, "koine.db")}`, sync: "normal", ...config?.ledger } as const;
  const koine = await startKoine({ ...config, ledger }, options);
  const context = await (browser ?? (await sharedBrowser())).newContext({
    baseURL: koine.url,
    viewport: { width: 1440, height: 900 },
    reducedMotion: "reduce",
    ...wanted,
  });
  context.setDefaultTimeout(10_000);
  const complaints: string[] = [];
  const strayed: string[] = [];
  context.on("page", (page) => listen(page, complaints));
  await context.route(
    (url) => /^https?:$/.test(url.protocol) && url.origin !== koine.url,
    (route) => {
      strayed.push(route.request().url());
      return route.abort();
    },
  );
  const tab = async (at = "/"): Promise<Page> => {
    const page = await context.newPage();
    await page.goto(at);
    return page;
  };
  const page = await tab(path);
  return {
    koine,
    context,
    page,
    complaints,
    strayed,
    tab,
    [Symbol.asyncDispose]: async () => {
      await context.close();
      await koine.close();
      rmSync(folder, { recursive: true, force: true });
      if (complaints.length > 0) throw new Error(`The page complained:\n${complaints.join("\n")}`);
      if (strayed.length > 0) throw new Error(`Requests left the page:\n${strayed.join("\n")}`);
    },
  };
}

function listen(page: Page, complaints: string[]): void {
  page.on("pageerror", (error) => complaints.push(`threw: ${error.message}`));
  page.on("console", (message) => {
    if (message.type() === "error" || message.type() === "warning") complaints.push(`logged: ${message.text()}`);
  });
}
