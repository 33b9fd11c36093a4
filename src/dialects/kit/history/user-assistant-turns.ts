// Maps the roles of messages, and reports the message fields that are not sent, for dialects whose messages have only
// the roles user and assistant and whose system text is in a separate field.
import type { JsonObject } from "../../../model/json/index.ts";
import type { Message } from "../../../model/message.ts";
import type { EncodeContext } from "../../dialect.ts";
import type { NotPortableLoss } from "../losses/catalog.ts";
import { reportNotPortableResidue, reportUnsupportedFields } from "../residue/unsent-fields.ts";
import type { OutgoingTurn } from "./turn.ts";

const SUPPORTED: ReadonlySet<string> = new Set(["role", "parts", "extra"]);
const FIELD_CODES: Readonly<Partial<Record<string, "metadata-dropped">>> = {
  id: "metadata-dropped",
  metadata: "metadata-dropped",
  parentMessageId: "metadata-dropped",
  createdAt: "metadata-dropped",
};

type MessageFieldsContext = EncodeContext<"metadata-dropped" | "field-unsupported" | NotPortableLoss>;

/**
 * Reports the fields of a message that are not sent: all except the role, the parts and the residue of this dialect.
 */
export function reportMessageFields(message: Message, context: MessageFieldsContext): void {
  reportUnsupportedFields<"metadata-dropped" | "field-unsupported">(
    message,
    SUPPORTED,
    context,
    "field-unsupported",
    FIELD_CODES,
  );
  reportNotPortableResidue(message, context);
}

/** Calls `reportMessageFields` for the message of a turn, unless the message has only a role and parts. */
export function reportTurnFields({ message, index }: OutgoingTurn, context: MessageFieldsContext): void {
  for (const key in message) {
    if (key === "role" || key === "parts") continue;
    context.pathTracker.enter(index);
    reportMessageFields(message, context);
    context.pathTracker.leave();
    return;
  }
}

type RoleContext = EncodeContext<"developer-as-system" | "form-stale" | "role-approximated">;

/**
 * Returns the wire role of a turn. For an unknown wire role, the decoder stored the role in `form` and gave the message
 * the role user; the unknown role is restored unless the role was changed since.
 */
export function toWireRole(turn: OutgoingTurn, form: JsonObject, { report, dialect }: RoleContext): string {
  const { index, message } = turn;
  const { role } = message;
  const storedRole = form["role"];
  if (typeof storedRole === "string") {
    if (role === "user") return storedRole;
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
      report.addLoss("role-approximated", [index, "role"], `The role was "${String(role)}".`);
      return "user";
  }
}
