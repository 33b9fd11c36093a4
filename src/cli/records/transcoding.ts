// One stream on its way to the target: event by event where the target has streams, else assembled to its whole answer.
import type { Dialect, WireEvent } from "../../dialects/index.ts";
import type { Delta, Loss } from "../../model/index.ts";
import { CliError } from "../exit.ts";
import { decodeStream } from "./decoded.ts";
import { errorSentence, TRUNCATED } from "./failure.ts";
import type { EventTaker } from "./streams.ts";
import type { Converted, Target } from "./target.ts";
import { encodeAnswers, reworded } from "./target.ts";

export interface StreamOutput {
  event(event: WireEvent): void;
  /** The stream has ended; a stream that was assembled is here as a whole. */
  end(losses: readonly Loss[], whole?: Converted): void;
}

export function transcodeEvents(from: Dialect, target: Target, output: StreamOutput): EventTaker {
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
      const cut = last.find(isCut);
      const losses = encoder.losses.map(reworded);
      output.end(cut === undefined ? losses : losses.filter(isOfAnswer));
      if (cut !== undefined) {
        throw new CliError("truncated", `${errorSentence(cut.payload)} What is written ends in a failure, too.`);
      }
    },
  };
}

function isCut(delta: Delta): delta is Extract<Delta, { kind: "error" }> {
  return delta.kind === "error" && delta.payload.errorCode === TRUNCATED;
}

/** That the stream broke off is Koine's own word and told as a failure; how much of it the target can say is no loss. */
function isOfAnswer({ path }: Loss): boolean {
  return path !== "/error" && !path.startsWith("/error/");
}

export function assembleEvents(from: Dialect, target: Target, output: StreamOutput): EventTaker {
  return decodeStream(from, {
    whole: ({ messages, responses }) => {
      const whole = encodeAnswers(messages, responses, target);
      output.end(whole.losses, whole);
    },
    // Half an answer must not look like a whole one.
    rest: () => undefined,
  });
}
