// Runs every benchmark in its own process, because the JIT state of one benchmark would affect the next. Compare only
// ratios within one run: the load of the machine varies.
import { spawnSync } from "node:child_process";
import { fileURLToPath } from "node:url";

for (const name of ["json", "assembly", "translate", "stream", "fidelity", "ledger", "client", "gateway", "page"]) {
  const file = fileURLToPath(new URL(`${name}.ts`, import.meta.url));
  const { status } = spawnSync(process.execPath, [...process.execArgv, file], { stdio: "inherit" });
  if (status !== 0) process.exitCode = 1;
}
