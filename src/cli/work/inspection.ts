// The visitor of `koine inspect`: decodes each record and puts it on the page.
import { basename } from "node:path";
import { AssemblyError, RunAssembler } from "../../assembly/index.ts";
import type { Dialect } from "../../dialects/index.ts";
import { isObject } from "../../dialects/index.ts";
import type { Delta, Loss, Message, Response } from "../../model/index.ts";
import { validateMessages } from "../../model/index.ts";
import { CliError } from "../exit.ts";
import type { Recognised } from "../read/recognise.ts";
import { showMessages } from "../show/conversation.ts";
import { errorWords, requestFacts, responseFacts } from "../show/facts.ts";
import type { FailureLog } from "../show/failures.ts";
import { lossRows } from "../show/losses.ts";
import type { Page } from "../show/page.ts";
import { visibleLine } from "../show/visible.ts";
import { clipTo, widthOf } from "../show/width.ts";
import type { Failure } from "../write/report.ts";
import type { Sink } from "../write/sink.ts";
import type { EventTaker } from "./streams.ts";
import type { Target } from "./target.ts";
import { convertRecord, encodeAnswers } from "./target.ts";
import type { Place, Visitor } from "./walk.ts";

export interface InspectionOptions {
  page: Page;
  sink: Sink;
  full: boolean;
  failures: FailureLog;
  /** Whose losses to show. */
  target: Target | undefined;
}

/** Messages that came one by one and are one conversation. */
interface Gathered {
  place: Place;
  dialect: Dialect;
  messages: Message[];
  losses: Loss[];
}

export class Inspection implements Visitor {
  private readonly options: InspectionOptions;
  private gathered: Gathered | undefined;

  constructor(options: InspectionOptions) {
    this.options = options;
  }

  source(): void {
    this.showGathered();
  }

  record(record: Recognised, place: Place): void {
    const { target } = this.options;
    const losses = target === undefined ? [] : convertRecord(record, target).losses;
    if (record.isOne) return this.gather(record, place, losses);
    this.showGathered();
    this.show(record, place);
    this.showLosses(losses);
  }

  private show({ dialect, kind, value, beside }: Recognised, place: Place): void {
    const { page, full } = this.options;
    switch (kind) {
      case "request": {
        const request = dialect.decodeRequest(value, beside);
        this.title(place, dialect, kind, request.model);
        page.add(requestFacts(request).join(" · "), 0, { style: "dim" });
        return showMessages(request.messages, page, full);
      }
      case "response":
        return this.showResponse(dialect.decodeResponse(value, beside), place, dialect, kind);
      case "messages": {
        const messages = readMessages(dialect, value);
        this.title(place, dialect, kind);
        return showMessages(messages, page, full);
      }
      case "error": {
        const error = dialect.decodeError(value, beside.status);
        this.title(place, dialect, kind);
        return page.add(errorWords(error), 0, { style: "red" });
      }
      default:
        throw new CliError("record", "It is one event of a stream; give --kind stream if the whole file is one.");
    }
  }

  private showResponse(response: Response, place: Place, dialect: Dialect, kind: string): void {
    const { page, full } = this.options;
    this.title(place, dialect, kind, response.model);
    showMessages([response.message], page, full);
    response.alternatives?.forEach(({ message, finishReason }, index) => {
      page.space();
      page.line(`choice ${index + 2}, finish: ${finishReason.unified}`, 0, "dim");
      showMessages([message], page, full);
    });
    page.space();
    page.add(responseFacts(response).join(" · "), 0, { style: "dim" });
  }

  private title({ file, line }: Place, dialect: Dialect, kind: string, model?: string): void {
    const { page } = this.options;
    page.space();
    const what = [`${dialect.id} ${kind}`, ...(model === undefined || model === "" ? [] : [model])].join(" · ");
    const isLong = widthOf(file) + widthOf(what) + 16 > page.columns;
    const place = `${isLong ? basename(file) : file}:${line}`;
    const text = clipTo(visibleLine(`${clipTo(place, page.columns / 2)} · ${what}`), page.columns - 6);
    page.put(`── ${text} ${"─".repeat(Math.max(2, page.columns - widthOf(text) - 4))}`, 0, "bold");
  }

  private showLosses(losses: readonly Loss[]): void {
    const { page, target, sink } = this.options;
    if (target !== undefined) {
      page.space();
      page.put(losses.length === 0 ? `to ${target.to.id}: no losses` : `to ${target.to.id}:`, 0, "bold");
      if (losses.length > 0) for (const row of lossRows(losses, page.paint, true)) page.put(row, 0);
    }
    page.space();
    sink.write(page.take());
  }

  private gather(record: Recognised, place: Place, losses: readonly Loss[]): void {
    const messages = readMessages(record.dialect, record.value);
    const isRoot = isObject(messages[0]) && messages[0]["parentMessageId"] === null;
    if (isRoot || this.gathered?.dialect !== record.dialect) this.showGathered();
    this.gathered ??= { place, dialect: record.dialect, messages: [], losses: [] };
    this.gathered.messages.push(...messages);
    this.gathered.losses.push(...losses);
  }

  private showGathered(): void {
    const { gathered } = this;
    this.gathered = undefined;
    if (gathered === undefined) return;
    this.title(gathered.place, gathered.dialect, "messages");
    showMessages(gathered.messages, this.options.page, this.options.full);
    this.showLosses(gathered.losses);
  }

  stream(dialect: Dialect, place: Place): EventTaker {
    this.showGathered();
    const decoder = dialect.streamDecoder();
    const assembler = new RunAssembler();
    const take = (deltas: readonly Delta[]): void => {
      for (const delta of deltas) assembler.push(delta);
    };
    return {
      push: (event) => take(decoder.push(event)),
      end: () => this.endStream(assembler, () => take(decoder.end()), dialect, place),
    };
  }

  /** What arrived of a stream that broke off is shown, too. */
  private endStream(assembler: RunAssembler, finish: () => void, dialect: Dialect, place: Place): void {
    const { page, full, target } = this.options;
    try {
      finish();
      const { messages, responses } = assembler.finish();
      const losses = target === undefined ? [] : encodeAnswers(messages, responses, target).losses;
      const [only] = responses;
      if (messages.length === 1 && only !== undefined) this.showResponse(only, place, dialect, "stream");
      else {
        this.title(place, dialect, "stream");
        showMessages(messages, page, full);
      }
      this.showLosses(losses);
    } catch (error) {
      if (!(error instanceof AssemblyError)) throw error;
      this.title(place, dialect, "stream");
      showMessages([...(error.messages ?? []), ...(error.partial === undefined ? [] : [error.partial])], page, full);
      page.space();
      this.options.sink.write(page.take());
      throw error;
    }
  }

  failure(failure: Failure, place: Place): void {
    this.options.failures.add(failure, place);
  }

  async batch(): Promise<void> {
    await this.options.sink.flush();
  }

  end(): void {
    this.showGathered();
  }
}

/** Messages of the model that were never stored have no version; they are shown all the same. */
function readMessages(dialect: Dialect, value: unknown): Message[] {
  const list: unknown = isObject(value) ? value["messages"] : value;
  if (dialect.id !== "canonical" || !Array.isArray(list) || list.some(hasVersion)) return dialect.decodeMessages(value);
  const issue = validateMessages(list).find(({ code }) => code === "wrong-type" || code === "missing-field");
  if (issue !== undefined) throw new CliError("record", `${issue.path}: ${issue.message}`);
  // Nothing in their structure is wrong.
  return list as Message[];
}

function hasVersion(message: unknown): boolean {
  const metadata = isObject(message) ? message["metadata"] : undefined;
  return isObject(metadata) && metadata["schemaVersion"] !== undefined;
}
