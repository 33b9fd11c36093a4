// The programs of a campaign.
import { symlinkSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { bundle } from "../support/bundle.ts";

const NODE_MODULES = fileURLToPath(new URL("../../../node_modules", import.meta.url));

export interface Programs {
  worker: string;
  mcp: string;
}

export async function buildPrograms(folder: string): Promise<Programs> {
  const sources = [new URL("worker.ts", import.meta.url), new URL("effect-program.ts", import.meta.url)];
  const [worker = "", mcp = ""] = await bundle(folder, sources);
  // The PostgreSQL driver is loaded when it is needed, as in an installed package.
  symlinkSync(NODE_MODULES, join(folder, "node_modules"), "junction");
  return { worker, mcp };
}
