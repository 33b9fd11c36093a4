// Every view of the page as somebody opens it, with what must be seen before it counts as open.
import type { Page } from "playwright-core";
import type { Story } from "./story.ts";

export interface View {
  open(page: Page): Promise<void>;
}

export const VIEW_NAMES = ["home", "new", "conversation", "tools", "tree", "inspect", "translate"] as const;
export type ViewName = (typeof VIEW_NAMES)[number];

export function viewsOf({ harbour, ferry }: Story): Readonly<Record<ViewName, View>> {
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
        await withBranches(page, "hidden");
        await page.goto(`/t/${harbour}`);
        await page.getByText("put the anchor out").waitFor();
        await page.getByRole("feed").getByText("Emporios").waitFor();
      },
    },
    tools: {
      open: async (page) => {
        await withBranches(page, "hidden");
        await page.goto(`/t/${ferry}`);
        await page.getByText("book_seats").first().waitFor();
      },
    },
    tree: {
      open: async (page) => {
        await withBranches(page, "hidden");
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

/** Whatever was chosen before: a view is the same whichever came first. */
async function withBranches(page: Page, choice: "shown" | "hidden"): Promise<void> {
  const keep = (chosen: string): void => localStorage.setItem("koine.branches", chosen);
  // A page that shows nothing yet has no storage of its own.
  if (page.url().startsWith("http")) await page.evaluate(keep, choice);
  else await page.addInitScript(keep, choice);
}
