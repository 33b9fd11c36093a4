// Opens each view of the page and waits until it is ready.
import type { Page } from "playwright-core";
import type { Story } from "./story.ts";

export interface PageView {
  open(page: Page): Promise<void>;
}

export const VIEW_NAMES = ["home", "new", "conversation", "tools", "tree", "inspect", "translate"] as const;
export type ViewName = (typeof VIEW_NAMES)[number];

export function createViews({ harbour, ferry }: Story): Readonly<Record<ViewName, PageView>> {
  return {
    home: {
      open: async (page) => {
        await page.goto("/");
        await page.getByRole("heading", { level: 1 }).waitFor();
      },
    },
    new: {
      open: async (page) => {
        await page.goto("/new");
        await page.getByRole("textbox", { name: "Message" }).waitFor();
      },
    },
    conversation: {
      open: async (page) => {
        await setBranchSidebar(page, "hidden");
        await page.goto(`/t/${harbour}`);
        await page.getByText("put the anchor out").waitFor();
        await page.getByRole("feed").getByText("Emporios").waitFor();
      },
    },
    tools: {
      open: async (page) => {
        await setBranchSidebar(page, "hidden");
        await page.goto(`/t/${ferry}`);
        await page.getByText("book_seats").first().waitFor();
      },
    },
    tree: {
      open: async (page) => {
        await setBranchSidebar(page, "hidden");
        await page.goto(`/t/${harbour}`);
        await page.getByRole("feed").getByText("Emporios").waitFor();
        await page.keyboard.press("b");
        await page.getByRole("tree").waitFor();
      },
    },
    inspect: {
      open: async (page) => {
        await page.goto(`/t/${ferry}/inspect`);
        await page.getByRole("status").getByText("4 columns").waitFor();
      },
    },
    translate: {
      open: async (page) => {
        await page.goto("/translate");
        await page.getByRole("button", { name: "OpenAI Chat a call with a long number" }).click();
        await page.getByRole("status").getByText("columns").waitFor();
      },
    },
  };
}

/** Sets the sidebar preference, so that a view does not depend on earlier ones. */
async function setBranchSidebar(page: Page, choice: "shown" | "hidden"): Promise<void> {
  const keep = (chosen: string): void => localStorage.setItem("koine.branches", chosen);
  // An empty page has no storage.
  if (page.url().startsWith("http")) await page.evaluate(keep, choice);
  else await page.addInitScript(keep, choice);
}
