// One stream on its way to the target: event by event where the target has streams, else assembled to its whole answer.
import { RunAssembler } from "../../assembly/index.ts";
import type { Dialect, WireEvent } from "../../dialects/index.ts";
import type { Delta, Loss } from "../../model/index.ts";
import { CliError } from "../exit.ts";
import type { EventTaker } from "./streams.ts";
import type { Converted, Target } from "./target.ts";
import { encodeAnswers } from "./target.ts";

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
      output.end(encoder.losses);
      if (last.some(({ kind }) => kind === "error")) {
        throw new CliError(
          "record",
          "The stream breaks off before its answer ends; what is written ends in a failure, too.",
        );
      }
    },
  };
}

export function assembleEvents(from: Dialect, target: Target, output: StreamOutput): EventTaker {
  const decoder = from.streamDecoder();
  const assembler = new RunAssembler();
  const take = (deltas: readonly Delta[]): void => {
    for (const delta of deltas) assembler.push(delta);
  };
  return {
    push: (event) => take(decoder.push(event)),
    end() {
      take(decoder.end());
      const { messages, responses } = assembler.finish();
      const whole = encodeAnswers(messages, responses, target);
      output.end(whole.losses, whole);
    },
  };
}
