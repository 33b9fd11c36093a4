// Writes schema.json from the model's shapes; with --check it only says whether the file is up to date.
import { jsonSchema } from "../src/model/schema.ts";
import { writeOrCheck } from "./generated.ts";

writeOrCheck("schema.json", `${JSON.stringify(jsonSchema(), null, 2)}\n`, "npm run schema");
