// Creates the adapter of a local provider, which removes seals and opaque parts of other issuers from requests (B5).
import type { Annotation, Loss, Message, Part, ModelRequest, WithSeals } from "../../model/index.ts";
import { COMMON_LOSSES } from "../../dialects/kit/losses/catalog.ts";
import { pointer } from "../../model/json/pointer.ts";
import type { LocalAdapter, LocalProvider } from "../types.ts";

export function createLocalAdapter(name: string, config: LocalProvider): LocalAdapter {
  const issuer = config.issuer ?? name;
  return {
    kind: "local",
    name,
    config,
    prepare(request: ModelRequest, model: string) {
      const filter = new SealFilter(issuer);
      const messages = filter.filterMessages(request.messages);
      const { known, losses } = dropUnknownFields(request, issuer);
      return { request: { ...known, model, messages }, losses: [...losses, ...filter.losses] };
    },
  };
}

/** The names of all fields of a request. */
const FIELDS: Readonly<Record<keyof ModelRequest, true>> = {
  model: true,
  messages: true,
  tools: true,
  toolChoice: true,
  parallelToolCalls: true,
  output: true,
  sampling: true,
  reasoning: true,
  metadata: true,
  stream: true,
  extra: true,
};

/**
 * Removes unknown fields and reports a loss for each, as the HTTP dialects do. Unknown fields are mostly misplaced
 * settings.
 */
function dropUnknownFields(request: ModelRequest, target: string): { known: ModelRequest; losses: Loss[] } {
  const known = { ...request };
  const losses: Loss[] = [];
  for (const [name, value] of Object.entries(request)) {
    if (Object.hasOwn(FIELDS, name)) continue;
    Reflect.deleteProperty(known, name);
    if (value === undefined) continue;
    losses.push(toLoss("field-unsupported", [name], target));
  }
  return { known, losses };
}

type PointerSteps = readonly (string | number)[];

/** Removes the seals and opaque parts of other issuers. Copies only the parts that change. */
class SealFilter {
  readonly losses: Loss[] = [];
  readonly #issuer: string;

  constructor(issuer: string) {
    this.#issuer = issuer;
  }

  filterMessages(messages: readonly Message[]): Message[] {
    return messages.map((message, index) => {
      const parts = this.#filterParts(message.parts, ["messages", index, "parts"]);
      return parts === message.parts ? message : { ...message, parts };
    });
  }

  #filterParts(parts: Part[], steps: PointerSteps): Part[] {
    const filtered = parts.flatMap((part, index) => this.#filterPart(part, [...steps, index]));
    return filtered.length === parts.length && filtered.every((part, index) => part === parts[index])
      ? parts
      : filtered;
  }

  #filterPart(part: Part, steps: PointerSteps): Part[] {
    if (part.type === "opaque" && !this.#isOwn(part.issuer ?? part)) {
      this.losses.push(toLoss("opaque-not-portable", steps, this.#issuer));
      return [];
    }
    let filtered = this.#filterSeals(part, steps);
    if (filtered.type === "text" && filtered.annotations !== undefined) {
      const annotations = this.#filterAnnotations(filtered.annotations, [...steps, "annotations"]);
      if (annotations !== filtered.annotations) filtered = { ...filtered, annotations };
    }
    if ("content" in filtered && filtered.content !== undefined) {
      const content = this.#filterParts(filtered.content, [...steps, "content"]);
      if (content !== filtered.content) filtered = { ...filtered, content };
    }
    return [filtered];
  }

  #filterAnnotations(annotations: Annotation[], steps: PointerSteps): Annotation[] {
    const filtered = annotations.map((annotation, index) => this.#filterSeals(annotation, [...steps, index]));
    return filtered.every((annotation, index) => annotation === annotations[index]) ? annotations : filtered;
  }

  #filterSeals<T extends WithSeals>(target: T, steps: PointerSteps): T {
    const { seals } = target;
    if (seals === undefined || seals.every((seal) => this.#isOwn(seal))) return target;
    const own = seals.filter((seal, index) => {
      const isOwn = this.#isOwn(seal);
      if (!isOwn) this.losses.push(toLoss("seal-not-portable", [...steps, "seals", index], this.#issuer));
      return isOwn;
    });
    const copy = { ...target };
    if (own.length > 0) copy.seals = own;
    else delete copy.seals;
    return copy;
  }

  #isOwn({ dialect, provider }: { dialect: string; provider?: string }): boolean {
    return (provider ?? dialect) === this.#issuer;
  }
}

/** Creates a loss with the text of the loss catalog; `target` is the issuer of the local provider. */
function toLoss(code: keyof typeof COMMON_LOSSES, steps: PointerSteps, target: string): Loss {
  const { action, level, message } = COMMON_LOSSES[code];
  return { path: pointer(steps), action, level, code, message: message.replace("{target}", target) };
}
