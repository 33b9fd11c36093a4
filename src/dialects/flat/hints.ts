// Form hints at encode time: each one is either followed or reported. And residue fields, written back or reported.
import { setOwn } from "../../model/extra.ts";
import type { JsonObject, JsonValue } from "../../model/json.ts";
import type { Extra } from "../../model/parts.ts";
import { formOf } from "../residue.ts";
import type { FlatContext } from "./losses.ts";
import { FLAT } from "./names.ts";

interface Carrier {
  extra?: Extra;
}

/** The key under which a residue keeps its form. */
const FORM = "$form";

/** How a message or part was spelled. Whoever follows a hint says so; the others are stale. */
export class Hints {
  private readonly form: JsonObject;
  private readonly followed = new Set<string>();

  constructor(target: Carrier) {
    this.form = formOf(target, FLAT);
  }

  get(what: string): JsonValue | undefined {
    return Object.hasOwn(this.form, what) ? this.form[what] : undefined;
  }

  follow(what: string): void {
    this.followed.add(what);
  }

  /** Whether this is how it was spelled; a yes counts as followed. */
  says(what: string, spelled: JsonValue): boolean {
    if (this.get(what) !== spelled) return false;
    this.follow(what);
    return true;
  }

  /** Reports the hints that nothing followed; `steps` lead from the value in hand to their owner. */
  reportStale(context: FlatContext, ...steps: (string | number)[]): void {
    for (const what of Object.keys(this.form)) {
      if (!this.followed.has(what)) context.report.lose("form-stale", [...steps, "extra", FLAT, FORM, what]);
    }
  }
}

/** Hints of nobody, for what has no counterpart among the messages. */
export const noHints = (): Hints => new Hints({});

/** Writes unknown fields back, and reports those whose place is taken by now or that `fits` refuses. */
export function restoreOrReport(
  wire: JsonObject,
  target: Carrier,
  dialect: string,
  context: FlatContext,
  fits: (name: string, value: JsonValue) => boolean = () => true,
): void {
  const residue = target.extra?.[dialect] ?? {};
  for (const key of Object.keys(residue)) {
    if (key === FORM) continue;
    const name = key === FORM + FORM ? FORM : key;
    const value = residue[key] ?? null;
    if (!Object.hasOwn(wire, name) && fits(name, value)) setOwn(wire, name, value);
    else context.report.lose("residue-clash", ["extra", dialect, key]);
  }
}

/** Reports unknown fields that have nowhere to go. */
export function reportFields(target: Carrier, dialect: string, context: FlatContext): void {
  for (const key of Object.keys(target.extra?.[dialect] ?? {})) {
    if (key !== FORM) context.report.lose("residue-clash", ["extra", dialect, key]);
  }
}

/** The same carrier without one dialect's residue; that residue's form stays, because it never travels. */
export function withoutFields(target: Carrier, dialect: string): Carrier {
  const extra: Extra = {};
  for (const key of Object.keys(target.extra ?? {})) {
    const residue = target.extra?.[key] ?? {};
    if (key !== dialect) setOwn(extra, key, residue);
    else if (Object.hasOwn(residue, FORM)) setOwn<JsonObject>(extra, key, { [FORM]: residue[FORM] ?? null });
  }
  return { extra };
}
