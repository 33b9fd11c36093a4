// The memory of one upstream: ids that nobody else issues, and seals that only it can make. A seal is the MAC of what
// it seals, so that an altered, moved or foreign one is found out.
import { createHmac } from "node:crypto";

export class IssuedSeals {
  /** Every seal it has issued, in order. */
  readonly seals: string[] = [];
  /** The seals of each answer, where the provider cares which of them belong together. */
  readonly answers: string[][] = [];
  readonly #key: string;
  #count = 0;

  constructor(key: string) {
    this.#key = key;
  }

  /** A fresh id. */
  id(prefix: string): string {
    this.#count++;
    return `${prefix}${this.#mac(`id ${this.#count}`, "hex").slice(0, 24)}`;
  }

  /** Seals a content. */
  seal(content: string): string {
    const seal = this.#mac(content, "base64");
    this.seals.push(seal);
    return seal;
  }

  /** Whether this is the seal that it would put on the content. */
  isSealOf(seal: string, content: string): boolean {
    return seal === this.#mac(content, "base64");
  }

  #mac(content: string, encoding: "hex" | "base64"): string {
    return createHmac("sha256", this.#key).update(content).digest(encoding);
  }
}
