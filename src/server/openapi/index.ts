// Creates the OpenAPI module, which serves the OpenAPI document. The document is created at the first HTTP request for
// it.
import { stringifyJson } from "../../model/index.ts";
import type { ServerModule, Route } from "../types.ts";
import { openapiDocument } from "./document.ts";

/**
 * Creates the route of the OpenAPI document. `routes` is called once, at the first request, because all modules exist
 * by then.
 */
export function openapiModule(routes: () => readonly Route[]): ServerModule {
  let text: string | undefined;
  const document: Route = {
    method: "GET",
    paths: ["/openapi.json", "/v1/openapi.json"],
    public: true,
    operation: {
      id: "getOpenApi",
      tag: "operations",
      summary: "This document.",
      replies: { 200: { description: "OpenAPI 3.1.", schema: { type: "object" } } },
    },
    run: () => {
      text ??= stringifyJson(openapiDocument(routes()));
      return { status: 200, headers: { "content-type": "application/json" }, body: text };
    },
  };
  return { routes: [document] };
}
