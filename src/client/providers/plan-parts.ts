// What plans are made of: a request on its way to a dialect, and fields that are added to it or taken from it.
import type { JsonObject, JsonValue, Loss, Request } from "../../model/index.ts";

/** A request as it goes to the dialect, and its losses as they concern the caller's own request. */
export interface Plan {
  request: Request;
  /** What goes beside the body. */
  headers?: Record<string, string>;
  /** The losses of encoding, with paths into the caller's request, and those of the plan itself. */
  losses(encoded: Loss[]): Loss[];
}

export function plain(request: Request): Plan {
  return { request, losses: (encoded) => encoded };
}

/** What a request says in one dialect's own words. */
export function residueOf({ extra }: Request, dialect: string): JsonObject {
  return extra?.[dialect] ?? {};
}

/** The request with these words of a dialect instead of the ones it has. */
export function sayResidue(request: Request, dialect: string, residue: JsonObject): Request {
  return { ...request, extra: { ...request.extra, [dialect]: residue } };
}

/** The request with fields that only this dialect has; what it says itself wins. */
export function addResidue(request: Request, dialect: string, fields: JsonObject): Request {
  return sayResidue(request, dialect, { ...fields, ...residueOf(request, dialect) });
}

/** The request without a field that only this dialect has, and that field. */
export function takeResidue(request: Request, dialect: string, field: string): [Request, JsonValue | undefined] {
  const { [field]: taken, ...rest } = residueOf(request, dialect);
  return taken === undefined ? [request, undefined] : [sayResidue(request, dialect, rest), taken];
}
