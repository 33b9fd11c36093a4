// Routing of paths.
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { ServerError } from "../../../src/server/errors.ts";
import { compileRoutes } from "../../../src/server/http/router.ts";
import type { Route } from "../../../src/server/types.ts";
import { json, route } from "../support/test-routes.ts";

const at = (method: Route["method"], ...paths: [string, ...string[]]): Route =>
  route(method, paths[0], () => json({}), { paths });

const router = compileRoutes([
  at("GET", "/v1/models", "/models"),
  at("GET", "/v1/models/*model"),
  at("GET", "/v1/models/*model/versions"),
  at("GET", "/v1/threads"),
  at("POST", "/v1/threads"),
  at("GET", "/v1/threads/:id"),
  at("DELETE", "/v1/threads/:id"),
  at("GET", "/v1/threads/:id/messages"),
  at("GET", "/v1/threads/search/:query"),
  at("POST", "/v1beta/models/*model:generateContent"),
  at("POST", "/v1beta/models/*model:streamGenerateContent"),
]);

const findRoute = (method: string, path: string): [string, object] => {
  const match = router.find(method, path);
  if (match === undefined) throw router.createMissingError(method, path);
  return [match.route.operation.id, match.params()];
};
const refused = (method: string, path: string): ServerError => {
  try {
    findRoute(method, path);
  } catch (error) {
    if (error instanceof ServerError) return error;
    throw error;
  }
  throw new Error(`${method} ${path} was found.`);
};

describe("the router finds", () => {
  test.each<[string, string, string, string, object]>([
    ["a literal path", "GET", "/v1/models", "GET /v1/models", {}],
    ["its other spelling", "GET", "/models", "GET /v1/models", {}],
    ["each method's own route", "POST", "/v1/threads", "POST /v1/threads", {}],
    ["a named segment", "GET", "/v1/threads/t1", "GET /v1/threads/:id", { id: "t1" }],
    ["a named segment, decoded", "GET", "/v1/threads/a%2Fb%20c", "GET /v1/threads/:id", { id: "a/b c" }],
    ["a path below a named segment", "GET", "/v1/threads/t1/messages", "GET /v1/threads/:id/messages", { id: "t1" }],
    [
      "a literal segment before a named one",
      "GET",
      "/v1/threads/search/x",
      "GET /v1/threads/search/:query",
      { query: "x" },
    ],
    [
      "a named segment if the literal one has no such path",
      "GET",
      "/v1/threads/search/messages",
      "GET /v1/threads/search/:query",
      { query: "messages" },
    ],
    [
      "the rest of a path, including slashes",
      "GET",
      "/v1/models/openai/gpt-9",
      "GET /v1/models/*model",
      { model: "openai/gpt-9" },
    ],
    [
      "the rest up to the suffix",
      "POST",
      "/v1beta/models/google/gemini-9:generateContent",
      "POST /v1beta/models/*model:generateContent",
      { model: "google/gemini-9" },
    ],
    [
      "the longer suffix if two match",
      "POST",
      "/v1beta/models/m:streamGenerateContent",
      "POST /v1beta/models/*model:streamGenerateContent",
      { model: "m" },
    ],
    ["a suffix before none", "GET", "/v1/models/a/b/versions", "GET /v1/models/*model/versions", { model: "a/b" }],
    ["GET for HEAD", "HEAD", "/v1/models", "GET /v1/models", {}],
    ["a path with extra slashes", "GET", "//v1//models/", "GET /v1/models", {}],
    [
      "an extra slash instead of an empty name",
      "GET",
      "/v1/threads//messages",
      "GET /v1/threads/:id",
      { id: "messages" },
    ],
  ])("%s", (_what, method, path, id, params) => {
    expect(findRoute(method, path)).toStrictEqual([id, params]);
  });

  test("any percent-encoded name", () => {
    fc.assert(
      fc.property(fc.string({ unit: "grapheme", minLength: 1 }), (id) => {
        expect(findRoute("DELETE", `/v1/threads/${encodeURIComponent(id)}`)).toStrictEqual([
          "DELETE /v1/threads/:id",
          { id },
        ]);
      }),
    );
  });
});

describe("the router rejects", () => {
  test("an unknown path, and names similar ones", () => {
    const error = refused("GET", "/v1/model");
    expect(error).toMatchObject({ code: "not-found", status: 404 });
    expect(error.message).toContain("There is no GET /v1/model.");
    expect(error.message).toContain("GET /v1/models");
  });

  test("an unsupported method, and names the supported ones", () => {
    const error = refused("PUT", "/v1/threads/t1");
    expect(error).toMatchObject({ code: "method-not-allowed", status: 405 });
    expect(error.headers).toStrictEqual({ allow: "GET, DELETE, HEAD, OPTIONS" });
  });

  test("a path with an empty parameter", () => {
    expect(refused("POST", "/v1beta/models/:generateContent").code).toBe("not-found");
  });

  test("a parameter with an invalid escape, by its name", () => {
    expect(refused("GET", "/v1/threads/100%")).toMatchObject({ code: "invalid-request", path: "id" });
  });

  test("two routes with the same method and path", () => {
    expect(() => compileRoutes([at("GET", "/a/:x"), at("GET", "/a/:x")])).toThrow("Two routes have GET /a/:x");
  });
});
