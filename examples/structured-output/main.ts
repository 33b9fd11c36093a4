// Objects instead of text: objects are validated with a JSON Schema or a validator library, and an answer that does not
// match causes an error. The demo provider is not a language model and generates values from the schema.
import assert from "node:assert/strict";
import { user } from "koine";
import { createClient, demo, OutputError } from "koine/client";
import { z } from "zod";

const client = createClient({ providers: { demo: demo() } });

// With a validator that provides its JSON Schema (Zod, Valibot, ArkType …), the object has the validator's type.
const Recipe = z.object({
  title: z.string().describe("What the dish is called"),
  minutes: z.number().int().min(1).max(240),
  difficulty: z.enum(["easy", "hard"]),
  ingredients: z.array(z.object({ name: z.string(), grams: z.number() })).min(1),
});
const { object: recipe, answer } = await client.generateObject({
  model: "demo/koine",
  messages: [user("A recipe from Corinth, please.")],
  schema: Recipe,
});
console.log(`${recipe.title}: ${recipe.minutes} minutes, ${recipe.ingredients.length} ingredients`);
assert(Number.isInteger(recipe.minutes));
assert.equal(answer.provider, "demo");

// A plain JSON Schema works too; the type of the object is `unknown`.
const { object: city } = await client.generateObject({
  model: "demo/koine",
  messages: [user("Which city?")],
  schema: {
    type: "object",
    properties: { name: { type: "string" }, founded: { type: "integer" } },
    required: ["name"],
    additionalProperties: false,
  },
});
console.log("city:", JSON.stringify(city));
assert.equal(typeof (city as { name: unknown }).name, "string");

// Any other answer throws an OutputError with the reason, the complete response and the schema issues.
try {
  await client.generateObject({
    model: "demo/koine",
    messages: [user("A recipe, please.")],
    schema: Recipe,
    sampling: { maxOutputTokens: 5 },
  });
  assert.fail("Five tokens are too few for a recipe.");
} catch (error) {
  if (!(error instanceof OutputError)) throw error;
  console.log(`${error.reason}: ${error.message}`);
  assert.equal(error.reason, "cut-off");
  assert.equal(error.response.finishReason.unified, "length");
}

await client.close();
