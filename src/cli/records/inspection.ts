// The visitor of `koine inspect`: decodes each record and puts it on the page.
import type { Dialect } from "../../dialects/index.ts";
import { isObject } from "../../model/index.ts";
import type { Loss, Message, ModelResponse } from "../../model/index.ts";
import type { ClassifiedRecord } from "../read/classify-record.ts";
import { showMessages } from "../show/conversation.ts";
import { errorWords, requestFacts, responseFacts } from "../show/facts.ts";
import type { FailureLog } from "../show/failures.ts";
import { showLossesTo } from "../show/losses.ts";
import type { Page } from "../show/page.ts";
import { showTitle } from "../show/title.ts";
import type { Failure } from "../write/report.ts";
import type { Sink } from "../write/sink.ts";
import type { Decoded } from "./decoded.ts";
import { decodedStream, decodeRecord, decodeStream } from "./decoded.ts";
import type { EventTaker } from "./streams.ts";
import type { Target } from "./target.ts";
import { convertRecord, encodeAnswers } from "./target.ts";
import type { Place, Visitor } from "./walk.ts";

export interface InspectionOptions {
  page: Page;
  sink: Sink;
  full: boolean;
  /** No remarks beside what the records say. */
  quiet: boolean;
  failures: FailureLog;
  /** Whose losses to show. */
  target: Target | undefined;
}

type Speaker = Pick<ClassifiedRecord, "dialect" | "isGuess">;

/** Messages that came one by one and are one conversation. */
interface Gathered extends Speaker {
  place: Place;
  messages: Message[];
  losses: Loss[];
}

export class Inspection implements Visitor {
  readonly #options: InspectionOptions;
  #gathered: Gathered | undefined;
  #hasGuessed = false;

  constructor(options: InspectionOptions) {
    this.#options = options;
  }

  source(): void {
    this.#showGathered();
  }

  record(record: ClassifiedRecord, place: Place): void {
    const { target } = this.#options;
    const decoded = decodeRecord(record);
    const losses = target === undefined ? [] : convertRecord(record, target).losses;
    if (record.isSingleMessage && decoded.kind === "messages") return this.#gather(record, decoded.value, place, losses);
    this.#showGathered();
    this.#show(decoded, place, record);
    this.#showLosses(losses);
  }

  #show(decoded: Decoded, place: Place, speaker: Speaker, kind: string = decoded.kind): void {
    const { page, full } = this.#options;
    const model = decoded.kind === "request" || decoded.kind === "response" ? decoded.value.model : "";
    this.#title(place, speaker, kind, model);
    switch (decoded.kind) {
      case "request":
        page.add(requestFacts(decoded.value).join(" · "), 0, { style: "dim" });
        return showMessages(decoded.value.messages, page, full);
      case "response":
        return this.#showResponse(decoded.value);
      case "messages":
        return showMessages(decoded.value, page, full);
      case "error":
        return page.add(errorWords(decoded.value), 0, { style: "red" });
    }
  }

  #showResponse(response: ModelResponse): void {
    const { page, full } = this.#options;
    showMessages([response.message], page, full);
    response.alternatives?.forEach(({ message, finishReason }, index) => {
      page.space();
      page.line(`choice ${index + 2}, finish: ${finishReason.unified}`, 0, "dim");
      showMessages([message], page, full);
    });
    page.space();
    page.add(responseFacts(response).join(" · "), 0, { style: "dim" });
  }

  #title({ file, line }: Place, { dialect, isGuess }: Speaker, kind: string, model = ""): void {
    const { page, quiet } = this.#options;
    page.space();
    showTitle({ file, line, what: `${dialect.id}${isGuess ? "?" : ""} ${kind}`, model }, page);
    if (!isGuess || quiet || this.#hasGuessed) return;
    this.#hasGuessed = true;
    page.add(`Could be of several dialects; read as ${dialect.id}. Give --from to read it as another.`, 0, {
      style: "dim",
    });
  }

  #showLosses(losses: readonly Loss[]): void {
    const { page, target, sink, full } = this.#options;
    if (target !== undefined) {
      page.space();
      showLossesTo(target.to.id, losses, page, full);
    }
    page.space();
    sink.write(page.take());
  }

  #gather({ dialect, isGuess }: ClassifiedRecord, messages: Message[], place: Place, losses: readonly Loss[]): void {
    const gathered = this.#gathered;
    const isRoot = isObject(messages[0]) && messages[0]["parentMessageId"] === null;
    // Plain texts, which are anybody's, stand among messages that show whose they are.
    const isSame = gathered?.dialect === dialect || gathered?.isGuess === true || isGuess;
    if (isRoot || !isSame) this.#showGathered();
    this.#gathered ??= { place, dialect, isGuess, messages: [], losses: [] };
    if (this.#gathered.isGuess && !isGuess) Object.assign(this.#gathered, { dialect, isGuess });
    this.#gathered.messages.push(...messages);
    this.#gathered.losses.push(...losses);
  }

  #showGathered(): void {
    const gathered = this.#gathered;
    this.#gathered = undefined;
    if (gathered === undefined) return;
    this.#show({ kind: "messages", value: gathered.messages }, gathered.place, gathered);
    this.#showLosses(gathered.losses);
  }

  /** What arrived of a stream that broke off is shown, too. */
  stream(dialect: Dialect, place: Place): EventTaker {
    this.#showGathered();
    const { page, sink, target } = this.#options;
    const speaker = { dialect, isGuess: false };
    return decodeStream(dialect, {
      whole: (assembled) => {
        const { messages, responses } = assembled;
        const losses = target === undefined ? [] : encodeAnswers(messages, responses, target).losses;
        this.#show(decodedStream(assembled), place, speaker, "stream");
        this.#showLosses(losses);
      },
      rest: (messages) => {
        this.#show({ kind: "messages", value: messages }, place, speaker, "stream");
        page.space();
        sink.write(page.take());
      },
    });
  }

  failure(failure: Failure, place: Place): void {
    this.#options.failures.add(failure, place);
  }

  async batch(): Promise<void> {
    await this.#options.sink.flush();
  }

  end(): void {
    this.#showGathered();
  }
}
