// Issues the ids and seals of one simulated provider. A seal is the MAC of the sealed content, so that an altered, moved
// or foreign seal is detected.
import { createHmac } from "node:crypto";

export class IssuedSeals {
  /** All issued seals, in order. */
  readonly seals: string[] = [];
  /** Seals by answer, for providers that require them to be sent together. */
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

  /** True if this provider issued the seal for the content. */
  isSealOf(seal: string, content: string): boolean {
    return seal === this.#mac(content, "base64");
  }

  #mac(content: string, encoding: "hex" | "base64"): string {
    return createHmac("sha256", this.#key).update(content).digest(encoding);
  }
}
