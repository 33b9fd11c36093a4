// Writes schema.json from the model's shapes, and koine.config.schema.json from the server's settings; with --check it
// only says whether the files are up to date.
import { jsonSchema } from "../src/model/validation/json-schema.ts";
import { configSchema } from "../src/server/config/config-schema.ts";
import { writeOrCheck } from "./generated.ts";

writeOrCheck("schema.json", `${JSON.stringify(jsonSchema(), null, 2)}\n`, "npm run schema");
writeOrCheck("koine.config.schema.json", `${JSON.stringify(configSchema(), null, 2)}\n`, "npm run schema");
