// The record visitor of `koine inspect`: decodes each record and prints it as text.
import type { Dialect } from "../../dialects/index.ts";
import { isObject } from "../../model/index.ts";
import type { Loss, Message, ModelResponse } from "../../model/index.ts";
import type { ClassifiedRecord } from "../read/classify-record.ts";
import { showMessages } from "../show/conversation.ts";
import { formatProviderError, formatRequestDetails, formatResponseDetails } from "../show/call-details.ts";
import type { FailureLog } from "../show/failure-log.ts";
import { showTargetLosses } from "../show/loss-rows.ts";
import type { TextPage } from "../show/page.ts";
import { showTitle } from "../show/record-title.ts";
import type { RecordFailure } from "../write/conversion-report.ts";
import type { OutputSink } from "../write/output-sink.ts";
import type { DecodedRecord } from "./decode-record.ts";
import { toDecodedRecord, decodeRecord, assembleStream } from "./decode-record.ts";
import type { StreamEventConsumer } from "./stream-input.ts";
import type { ConversionTarget } from "./convert-record.ts";
import { convertRecord, encodeAnswers } from "./convert-record.ts";
import type { RecordPosition, RecordVisitor } from "./walk-records.ts";

export interface InspectVisitorOptions {
  page: TextPage;
  sink: OutputSink;
  full: boolean;
  /** True if the note about a guessed dialect is not printed. */
  quiet: boolean;
  failures: FailureLog;
  /** The target of `--to`, whose losses are printed after each record. */
  target: ConversionTarget | undefined;
}

type DetectedDialect = Pick<ClassifiedRecord, "dialect" | "isGuess">;

/** Consecutive single-message records that form one conversation. */
interface SingleMessageGroup extends DetectedDialect {
  position: RecordPosition;
  messages: Message[];
  losses: Loss[];
}

export class InspectVisitor implements RecordVisitor {
  readonly #options: InspectVisitorOptions;
  #group: SingleMessageGroup | undefined;
  #isGuessNoted = false;

  constructor(options: InspectVisitorOptions) {
    this.#options = options;
  }

  onSource(): void {
    this.#showGroup();
  }

  visitRecord(record: ClassifiedRecord, position: RecordPosition): void {
    const { target } = this.#options;
    const decoded = decodeRecord(record);
    const losses = target === undefined ? [] : convertRecord(record, target).losses;
    if (record.isSingleMessage && decoded.kind === "messages")
      return this.#addToGroup(record, decoded.value, position, losses);
    this.#showGroup();
    this.#show(decoded, position, record);
    this.#finishRecord(losses);
  }

  #show(
    decoded: DecodedRecord,
    position: RecordPosition,
    detected: DetectedDialect,
    kind: string = decoded.kind,
  ): void {
    const { page, full } = this.#options;
    const model = decoded.kind === "request" || decoded.kind === "response" ? decoded.value.model : "";
    this.#showTitle(position, detected, kind, model);
    switch (decoded.kind) {
      case "request":
        page.addText(formatRequestDetails(decoded.value).join(" · "), 0, { style: "dim" });
        return showMessages(decoded.value.messages, page, full);
      case "response":
        return this.#showResponse(decoded.value);
      case "messages":
        return showMessages(decoded.value, page, full);
      case "error":
        return page.addText(formatProviderError(decoded.value), 0, { style: "red" });
    }
  }

  #showResponse(response: ModelResponse): void {
    const { page, full } = this.#options;
    showMessages([response.message], page, full);
    response.alternatives?.forEach(({ message, finishReason }, index) => {
      page.addBlankLine();
      page.addLine(`choice ${index + 2}, finish: ${finishReason.unified}`, 0, "dim");
      showMessages([message], page, full);
    });
    page.addBlankLine();
    page.addText(formatResponseDetails(response).join(" · "), 0, { style: "dim" });
  }

  #showTitle({ file, line }: RecordPosition, { dialect, isGuess }: DetectedDialect, kind: string, model = ""): void {
    const { page, quiet } = this.#options;
    page.addBlankLine();
    showTitle({ file, line, description: `${dialect.id}${isGuess ? "?" : ""} ${kind}`, model }, page);
    if (!isGuess || quiet || this.#isGuessNoted) return;
    this.#isGuessNoted = true;
    page.addText(`The record fits several dialects; it was read as ${dialect.id}. Use --from to name another one.`, 0, {
      style: "dim",
    });
  }

  #finishRecord(losses: readonly Loss[]): void {
    const { page, target, sink, full } = this.#options;
    if (target !== undefined) {
      page.addBlankLine();
      showTargetLosses(target.to.id, losses, page, full);
    }
    page.addBlankLine();
    sink.write(page.takeText());
  }

  #addToGroup(
    { dialect, isGuess }: ClassifiedRecord,
    messages: Message[],
    position: RecordPosition,
    losses: readonly Loss[],
  ): void {
    const group = this.#group;
    const isRoot = isObject(messages[0]) && messages[0]["parentMessageId"] === null;
    // A message of another dialect begins a new group, unless the dialect of the message or of the group is only
    // guessed, because messages with only text match several dialects.
    const isSame = group?.dialect === dialect || group?.isGuess === true || isGuess;
    if (isRoot || !isSame) this.#showGroup();
    this.#group ??= { position: position, dialect, isGuess, messages: [], losses: [] };
    if (this.#group.isGuess && !isGuess) Object.assign(this.#group, { dialect, isGuess });
    this.#group.messages.push(...messages);
    this.#group.losses.push(...losses);
  }

  #showGroup(): void {
    const group = this.#group;
    this.#group = undefined;
    if (group === undefined) return;
    this.#show({ kind: "messages", value: group.messages }, group.position, group);
    this.#finishRecord(group.losses);
  }

  /** Shows the answer of a stream; for an interrupted stream, the messages that arrived. */
  visitStream(dialect: Dialect, position: RecordPosition): StreamEventConsumer {
    this.#showGroup();
    const { page, sink, target } = this.#options;
    const detected = { dialect, isGuess: false };
    return assembleStream(dialect, {
      onComplete: (assembled) => {
        const { messages, responses } = assembled;
        const losses = target === undefined ? [] : encodeAnswers(messages, responses, target).losses;
        this.#show(toDecodedRecord(assembled), position, detected, "stream");
        this.#finishRecord(losses);
      },
      onInterrupted: (messages) => {
        this.#show({ kind: "messages", value: messages }, position, detected, "stream");
        page.addBlankLine();
        sink.write(page.takeText());
      },
    });
  }

  onFailure(failure: RecordFailure, position: RecordPosition): void {
    this.#options.failures.add(failure, position);
  }

  async flushBatch(): Promise<void> {
    await this.#options.sink.flush();
  }

  end(): void {
    this.#showGroup();
  }
}
