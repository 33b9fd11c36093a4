// The stored state of the Responses API: issued items, the items that must accompany them, and stored responses.
import type { Json } from "../rejection.ts";

interface IssuedItem {
  item: Json;
  /** Reasoning: the item that must follow it. Others: the reasoning that must go before them. */
  follower?: string;
  reasoning?: string;
  isStored: boolean;
}

export class Memory {
  readonly #items = new Map<string, IssuedItem>();
  readonly #responses = new Map<string, readonly Json[]>();

  /** Records an answer: its input, its output, and whether it is stored. */
  store(id: string, input: readonly Json[], output: readonly Json[], isStored: boolean): void {
    output.forEach((item, index) => {
      const before = output[index - 1];
      const next = output[index + 1];
      const issued: IssuedItem = { item, isStored };
      if (item["type"] === "reasoning" && next !== undefined) issued.follower = String(next["id"]);
      if (item["type"] !== "reasoning" && before?.["type"] === "reasoning") issued.reasoning = String(before["id"]);
      this.#items.set(String(item["id"]), issued);
    });
    if (isStored) this.#responses.set(id, [...input, ...output]);
  }

  issued(id: string): IssuedItem | undefined {
    return this.#items.get(id);
  }

  /** Returns all items up to the end of a stored answer. */
  conversation(responseId: string): readonly Json[] | undefined {
    return this.#responses.get(responseId);
  }
}
