// Removes what a build makes, so that a file deleted from src does not live on in dist.

import { rmSync } from "node:fs";

rmSync(new URL("../dist", import.meta.url), { recursive: true, force: true });
