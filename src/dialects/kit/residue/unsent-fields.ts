// Reports the fields and the residue that an encoder does not write.
import type { WithExtra } from "../../../model/parts.ts";
import type { EncodeContext } from "../../dialect.ts";
import { isObject } from "../fields/read-wire.ts";
import type { NotPortableLoss } from "../losses/catalog.ts";
import { FORM, readForm } from "./residue.ts";

/**
 * Reports the unknown fields and forms that other dialects stored as residue. A field is reported under its code in
 * `codes`, and under `code` if it has no entry there.
 */
export function reportNotPortableResidue<Code extends string = NotPortableLoss>(
  target: WithExtra,
  context: EncodeContext<Code | NotPortableLoss>,
  codes: Readonly<Partial<Record<string, NoInfer<Code>>>> = {},
  code: NoInfer<Code> | NotPortableLoss = "residue-not-portable",
): void {
  if (target.extra === undefined) return;
  for (const dialect of Object.keys(target.extra)) {
    if (dialect === context.dialect) continue;
    const residue = target.extra[dialect] ?? {};
    for (const key of Object.keys(residue)) {
      if (key === FORM && isObject(residue[FORM])) continue;
      context.report.addLoss(Object.hasOwn(codes, key) ? (codes[key] ?? code) : code, ["extra", dialect, key]);
    }
    for (const formKey of Object.keys(readForm(target, dialect))) {
      // The form `role` is an unknown wire role. Its loss changes the meaning of the message, so it is reported like
      // the loss of a field.
      const formCode = formKey === "role" ? "residue-not-portable" : "form-not-portable";
      context.report.addLoss(formCode, ["extra", dialect, FORM, formKey]);
    }
  }
}

/**
 * Reports every field that is not in `supported`, under its code in `codes`, or under `code` if it has no entry there.
 */
export function reportUnsupportedFields<Code extends string>(
  value: object,
  supported: ReadonlySet<string>,
  context: EncodeContext<Code>,
  code: NoInfer<Code>,
  codes: Readonly<Partial<Record<string, NoInfer<Code>>>> = {},
): void {
  for (const key in value) {
    if (supported.has(key) || (value as Record<string, unknown>)[key] === undefined) continue;
    context.report.addLoss(Object.hasOwn(codes, key) ? (codes[key] ?? code) : code, key);
  }
}
