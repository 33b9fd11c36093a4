// Creates the JSON Schema of koine.config.json for editors, from the same setting descriptions that the reader uses.
import type { SchemaObject } from "../../model/index.ts";
import { CONFIG_FILE } from "./file-settings.ts";
import type { AnySetting, DictionarySetting, EitherSetting, FieldsSetting, NumberSetting } from "./setting.ts";

/** The schema of a string with an environment variable, which may replace any number, flag or text. */
const VARIABLE: SchemaObject = { $ref: "#/$defs/variable" };

export function configSchema(): SchemaObject {
  return {
    $schema: "https://json-schema.org/draft/2020-12/schema",
    title: "koine.config.json",
    ...settingSchema(CONFIG_FILE),
    $defs: {
      variable: {
        type: "string",
        pattern: "\\$(\\{|[A-Za-z_])",
        description: 'Reads environment variables: "$NAME" or "${NAME}"; "$$" is a dollar.',
      },
    },
  };
}

function settingSchema(setting: AnySetting): SchemaObject {
  const schema = schemaWithoutDescription(setting);
  return setting.description === undefined ? schema : { description: setting.description, ...schema };
}

function schemaWithoutDescription(setting: AnySetting): SchemaObject {
  switch (setting.kind) {
    case "text":
      if (setting.pattern === undefined) return { type: "string" };
      return { anyOf: [{ type: "string", pattern: setting.pattern }, VARIABLE] };
    case "number":
      return { anyOf: [numberSchema(setting), VARIABLE] };
    case "flag":
      return { anyOf: [setting.only === undefined ? { type: "boolean" } : { const: setting.only }, VARIABLE] };
    case "words":
      return { anyOf: [{ enum: [...setting.values] }, VARIABLE] };
    case "list":
      return { type: "array", items: settingSchema(setting.of), ...(setting.least && { minItems: setting.least }) };
    case "dictionary":
      return dictionarySchema(setting);
    case "fields":
      return fieldsSchema(setting);
    case "either":
      return eitherSchema(setting);
    case "code":
      throw new TypeError("A value that only code can pass has no JSON Schema.");
  }
}

function numberSchema({ whole, from, to }: NumberSetting): SchemaObject {
  return { type: whole ? "integer" : "number", minimum: from, ...(to !== undefined && { maximum: to }) };
}

function dictionarySchema({ of, names }: DictionarySetting): SchemaObject {
  const each = { type: "object", additionalProperties: settingSchema(of) };
  return names === undefined ? each : { ...each, propertyNames: { pattern: names.pattern } };
}

function eitherSchema({ of }: EitherSetting): SchemaObject {
  const [first, ...others] = of.filter(({ kind }) => kind !== "code").map(settingSchema);
  if (first === undefined) throw new TypeError("A setting of files must accept at least one JSON value.");
  return others.length === 0 ? first : { anyOf: [first, ...others] };
}

function fieldsSchema({ required, optional, exactlyOne }: FieldsSetting): SchemaObject {
  const properties = Object.entries({ ...required, ...optional })
    .filter(([, { kind }]) => kind !== "code")
    .map(([name, field]) => [name, settingSchema(field)]);
  return {
    type: "object",
    properties: Object.fromEntries(properties) as SchemaObject,
    additionalProperties: false,
    ...(Object.keys(required).length > 0 && { required: Object.keys(required) }),
    ...(exactlyOne !== undefined && { oneOf: exactlyOne.map((name) => ({ required: [name] })) }),
  };
}
