// Creates the JSON Schema of koine.config.json for editors, from the same settings as the reader.
import type { SchemaObject } from "../../model/index.ts";
import { CONFIG_FILE } from "./file-settings.ts";
import type { AnySetting, DictionarySetting, FieldsSetting, NumberSetting } from "./setting.ts";

/** A string with a variable may replace any scalar value. */
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
      return { anyOf: setting.of.map(settingSchema) };
  }
}

function numberSchema({ whole, from, to }: NumberSetting): SchemaObject {
  return { type: whole ? "integer" : "number", minimum: from, ...(to !== undefined && { maximum: to }) };
}

function dictionarySchema({ of, names }: DictionarySetting): SchemaObject {
  const each = { type: "object", additionalProperties: settingSchema(of) };
  return names === undefined ? each : { ...each, propertyNames: { pattern: names.pattern } };
}

function fieldsSchema({ required, optional, exactlyOne }: FieldsSetting): SchemaObject {
  const properties = Object.entries({ ...required, ...optional }).map(([name, field]) => [name, settingSchema(field)]);
  return {
    type: "object",
    properties: Object.fromEntries(properties) as SchemaObject,
    additionalProperties: false,
    ...(Object.keys(required).length > 0 && { required: Object.keys(required) }),
    ...(exactlyOne !== undefined && { oneOf: exactlyOne.map((name) => ({ required: [name] })) }),
  };
}
