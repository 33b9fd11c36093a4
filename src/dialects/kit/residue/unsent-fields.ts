// Reports the fields and the residue that an encoder does not write.
import type { WithExtra } from "../../../model/parts.ts";
import type { EncodeContext } from "../../dialect.ts";
import { isObject } from "../fields/read-wire.ts";
import type { NotPortableLoss } from "../losses/catalog.ts";
import { FORM, readForm } from "./residue.ts";

/**
 * Reports the residue that other dialects stored in `target`, because this target cannot read it. The loss code of a
 * field is its entry in `codes` or, without an entry, `code`; the loss code of a form is usually "form-not-portable".
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
 * Reports every field of `value` that is not in `supported`. Its loss code is its entry in `codes` or, without an
 * entry, `code`.
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
