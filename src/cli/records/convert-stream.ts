// Converts one stream to the target dialect: event by event if the dialect supports streams, otherwise assembled to an
// answer.
import type { Dialect, WireEvent } from "../../dialects/index.ts";
import type { Delta, Loss } from "../../model/index.ts";
import { CliError } from "../exit.ts";
import { assembleStream } from "./decode-record.ts";
import { formatAnswerError, TRUNCATED_CODE } from "./record-failure.ts";
import type { StreamEventConsumer } from "./stream-input.ts";
import type { ConvertedRecord, ConversionTarget } from "./convert-record.ts";
import { encodeAnswers, withCliMessage } from "./convert-record.ts";

export interface ConvertedStreamOutput {
  event(event: WireEvent): void;
  /** Called at the end of the stream; `assembled` is undefined if the events were written one by one. */
  end(losses: readonly Loss[], assembled?: ConvertedRecord): void;
}

export function convertStreamEvents(
  from: Dialect,
  target: ConversionTarget,
  output: ConvertedStreamOutput,
): StreamEventConsumer {
  const decoder = from.streamDecoder();
  const encoder = target.to.streamEncoder({ includeUsage: true });
  const write = (deltas: readonly Delta[]): void => {
    for (const delta of deltas) for (const event of encoder.push(delta)) output.event(event);
  };
  return {
    push: (event) => write(decoder.push(event)),
    end() {
      const last = decoder.end();
      write(last);
      for (const event of encoder.end()) output.event(event);
      const truncation = last.find(isTruncationError);
      const losses = encoder.losses.map(withCliMessage);
      output.end(truncation === undefined ? losses : losses.filter(isOutsideError));
      if (truncation !== undefined) {
        throw new CliError(
          "truncated",
          `${formatAnswerError(truncation.payload)} The written stream ends with an error too.`,
        );
      }
    },
  };
}

function isTruncationError(delta: Delta): delta is Extract<Delta, { kind: "error" }> {
  return delta.kind === "error" && delta.payload.errorCode === TRUNCATED_CODE;
}

/**
 * True if a loss is not within `/error`. Losses of the truncation error are not reported, because Koine itself adds
 * that error to the stream and reports it as a failure.
 */
function isOutsideError({ path }: Loss): boolean {
  return path !== "/error" && !path.startsWith("/error/");
}

export function convertAssembledStream(
  from: Dialect,
  target: ConversionTarget,
  output: ConvertedStreamOutput,
): StreamEventConsumer {
  return assembleStream(from, {
    onComplete: ({ messages, responses }) => {
      const assembled = encodeAnswers(messages, responses, target);
      output.end(assembled.losses, assembled);
    },
    // A partial answer is not written, because it would look complete.
    onInterrupted: () => undefined,
  });
}
