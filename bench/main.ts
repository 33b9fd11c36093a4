// Runs every benchmark. The numbers to look at are ratios within one run: the machine may be noisy.
import { benchAssembly } from "./assembly.ts";
import { benchJson } from "./json.ts";

benchJson();
benchAssembly();
