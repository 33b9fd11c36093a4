// A provider that is a function: it is given the request without what means something only to others (B5).
import type { Annotation, Loss, Message, Part, ModelRequest, Seal } from "../../model/index.ts";
import { fieldUnsaid } from "../../dialects/kit/losses.ts";
import { pointer } from "../../model/pointer.ts";
import type { LocalAdapter, LocalProvider } from "../types.ts";

export function localLink(name: string, config: LocalProvider): LocalAdapter {
  const issuer = config.issuer ?? name;
  return {
    kind: "local",
    name,
    config,
    prepare(request: ModelRequest, model: string) {
      const filter = new SealFilter(issuer);
      const messages = filter.messages(request.messages);
      const { known, losses } = knownFields(request);
      return { request: { ...known, model, messages }, losses: [...losses, ...filter.losses] };
    },
  };
}

/** Every field that a request has. */
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

/** A request without what is no field of one: settings in the wrong place are reported here as they are over HTTP. */
function knownFields(request: ModelRequest): { known: ModelRequest; losses: Loss[] } {
  const known = { ...request };
  const losses: Loss[] = [];
  for (const [name, value] of Object.entries(request)) {
    if (Object.hasOwn(FIELDS, name)) continue;
    Reflect.deleteProperty(known, name);
    if (value === undefined) continue;
    const { action, level, message: says } = fieldUnsaid["field-unsaid"];
    losses.push({ path: pointer([name]), action, level, code: "field-unsaid", message: says });
  }
  return { known, losses };
}

interface Sealed {
  seals?: Seal[];
}
type Steps = readonly (string | number)[];

/** Leaves out the seals of others, and blocks that only they can read; copies only what changes. */
class SealFilter {
  readonly losses: Loss[] = [];
  readonly #issuer: string;

  constructor(issuer: string) {
    this.#issuer = issuer;
  }

  messages(messages: readonly Message[]): Message[] {
    return messages.map((message, index) => {
      const parts = this.#parts(message.parts, ["messages", index, "parts"]);
      return parts === message.parts ? message : { ...message, parts };
    });
  }

  #parts(parts: Part[], steps: Steps): Part[] {
    const kept = parts.flatMap((part, index) => this.#part(part, [...steps, index]));
    return kept.length === parts.length && kept.every((part, index) => part === parts[index]) ? parts : kept;
  }

  #part(part: Part, steps: Steps): Part[] {
    if (part.type === "opaque" && !this.#isOwn(part.issuer ?? part)) {
      this.#lose("opaque-foreign", "A block that only another dialect can say.", steps);
      return [];
    }
    let kept = this.#sealed(part, steps);
    if (kept.type === "text" && kept.annotations !== undefined) {
      const annotations = this.#annotations(kept.annotations, [...steps, "annotations"]);
      if (annotations !== kept.annotations) kept = { ...kept, annotations };
    }
    if ("content" in kept && kept.content !== undefined) {
      const content = this.#parts(kept.content, [...steps, "content"]);
      if (content !== kept.content) kept = { ...kept, content };
    }
    return [kept];
  }

  #annotations(annotations: Annotation[], steps: Steps): Annotation[] {
    const kept = annotations.map((annotation, index) => this.#sealed(annotation, [...steps, index]));
    return kept.every((annotation, index) => annotation === annotations[index]) ? annotations : kept;
  }

  #sealed<T extends Sealed>(target: T, steps: Steps): T {
    const { seals } = target;
    if (seals === undefined || seals.every((seal) => this.#isOwn(seal))) return target;
    const own = seals.filter((seal, index) => {
      const isKept = this.#isOwn(seal);
      if (!isKept) this.#lose("seal-foreign", "It means something only to its issuer.", [...steps, "seals", index]);
      return isKept;
    });
    const copy = { ...target };
    if (own.length > 0) copy.seals = own;
    else delete copy.seals;
    return copy;
  }

  #isOwn({ dialect, provider }: { dialect: string; provider?: string }): boolean {
    return (provider ?? dialect) === this.#issuer;
  }

  #lose(code: string, message: string, steps: Steps): void {
    this.losses.push({ path: pointer(steps), action: "dropped", level: "loss", code, message });
  }
}
