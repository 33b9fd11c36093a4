// Opens the page in a real browser, on a real server with a SQLite file. Errors of the page and requests to other hosts
// are recorded; disposing fails if a test did not expect them.
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Browser, BrowserContext, BrowserContextOptions, Page } from "playwright-core";
import type { ConfigInput } from "../../../src/server/config/config-input.ts";
import type { KoineServer, ServerOptions } from "../../../src/server/server.ts";
import { startKoine } from "../../server/support/start-koine.ts";
import { sharedBrowser } from "./chromium.ts";

export interface OpenOptions {
  /** Server configuration besides the SQLite file. */
  config?: Omit<ConfigInput, "ledger"> & { ledger?: Exclude<ConfigInput["ledger"], string> };
  options?: ServerOptions;
  /** Viewport, color scheme and the like. */
  context?: BrowserContextOptions;
  /** Initial path; default "/". */
  path?: string;
  browser?: Browser;
}

export interface OpenPage extends AsyncDisposable {
  readonly koine: KoineServer;
  readonly context: BrowserContext;
  readonly page: Page;
  /** Errors and warnings of the page, including policy violations. A test that expects some clears the list. */
  readonly pageErrors: string[];
  /** Requests to other hosts; each was aborted. */
  readonly externalRequests: string[];
  /** Opens another tab in the same browser context. */
  openTab(path?: string): Promise<Page>;
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
  // The page lists only the models of the test.
  const providers = config?.providers && { demo: false as const, ...config.providers };
  const koine = await startKoine({ ...config, ...(providers && { providers }), ledger }, options);
  const context = await (browser ?? (await sharedBrowser())).newContext({
    baseURL: koine.url,
    viewport: { width: 1440, height: 900 },
    reducedMotion: "reduce",
    ...wanted,
  });
  // Generous, for busy machines.
  context.setDefaultTimeout(30_000);
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
    pageErrors: complaints,
    externalRequests: strayed,
    openTab: tab,
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
