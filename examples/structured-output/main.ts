// Objects instead of texts: from a JSON Schema or a validator of your own, checked before you see them; and what an answer
// that is no object tells you. Runs on the demo provider, which is no language model: it makes things up by the schema.
import assert from "node:assert/strict";
import { user } from "koine";
import { createClient, demo, OutputError } from "koine/client";
import { z } from "zod";

const client = createClient({ providers: { demo: demo() } });

// A validator that says its JSON Schema (Zod, Valibot, ArkType …) is all it takes: the object has its type.
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

// A JSON Schema works as well; of its objects, TypeScript knows nothing.
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

// What is no such object is an error that holds the whole answer: why, its text, and what the schema has against it.
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
