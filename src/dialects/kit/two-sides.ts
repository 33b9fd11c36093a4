// Wires that know two sides, the user and the assistant, with system text apart: what a message says beside its parts,
// and what its role is called there.
import type { JsonObject } from "../../model/json.ts";
import type { Message } from "../../model/message.ts";
import type { EncodeContext } from "../dialect.ts";
import type { NotPortableLoss } from "./residue.ts";
import { reportNotPortableResidue, reportUnsupportedFields } from "./residue.ts";
import type { Turn } from "./turn.ts";

const CARRIED: ReadonlySet<string> = new Set(["role", "parts", "extra"]);
const UNCARRIED: Readonly<Partial<Record<string, "bookkeeping">>> = {
  id: "bookkeeping",
  metadata: "bookkeeping",
  parentMessageId: "bookkeeping",
  createdAt: "bookkeeping",
};

type FieldsContext = EncodeContext<"bookkeeping" | "field-unsaid" | NotPortableLoss>;

/** Reports what a message says beside its role and parts; most say nothing. */
export function reportMessageFields(message: Message, context: FieldsContext): void {
  reportUnsupportedFields<"bookkeeping" | "field-unsaid">(message, CARRIED, context, "field-unsaid", UNCARRIED);
  reportNotPortableResidue(message, context);
}

/** The same for a message of a history. */
export function reportMessage({ message, index }: Turn, context: FieldsContext): void {
  for (const key in message) {
    if (key === "role" || key === "parts") continue;
    context.pathTracker.enter(index);
    reportMessageFields(message, context);
    context.pathTracker.leave();
    return;
  }
}

type RoleContext = EncodeContext<"developer-as-system" | "form-stale" | "role-approximated">;

/** What the wire calls a role; an unknown word that was read is kept while the role is the one it was read as. */
export function wireRole(turn: Turn, form: JsonObject, { report, dialect }: RoleContext): string {
  const { index, message } = turn;
  const { role } = message;
  const kept = form["role"];
  if (typeof kept === "string") {
    if (role === "user") return kept;
    report.addLoss("form-stale", [index, "extra", dialect]);
  }
  switch (role) {
    case "assistant":
    case "system":
    case "user":
      return role;
    case "tool":
      return "user";
    case "developer":
      report.addLoss("developer-as-system", [index, "role"]);
      return "system";
    default:
      report.addLoss("role-approximated", [index, "role"], `It said "${String(role)}".`);
      return "user";
  }
}
