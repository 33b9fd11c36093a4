// Writes schema.json from the shapes of the model, and koine.config.schema.json from the server settings. With --check,
// it only checks that the files are up to date.
import { jsonSchema } from "../src/model/validation/json-schema.ts";
import { configSchema } from "../src/server/config/config-schema.ts";
import { writeOrCheck } from "./write-or-check.ts";

writeOrCheck("schema.json", `${JSON.stringify(jsonSchema(), null, 2)}\n`, "npm run schema");
writeOrCheck("koine.config.schema.json", `${JSON.stringify(configSchema(), null, 2)}\n`, "npm run schema");
