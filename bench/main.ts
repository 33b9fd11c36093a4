// Runs every benchmark, each in a process of its own: what one has made the engine learn must not weigh on the next.
// The numbers to look at are ratios within one run: the machine may be noisy.
import { spawnSync } from "node:child_process";
import { fileURLToPath } from "node:url";

for (const name of ["json", "assembly", "translate", "stream", "fidelity", "ledger", "client", "gateway", "page"]) {
  const file = fileURLToPath(new URL(`${name}.ts`, import.meta.url));
  const { status } = spawnSync(process.execPath, [...process.execArgv, file], { stdio: "inherit" });
  if (status !== 0) process.exitCode = 1;
}
