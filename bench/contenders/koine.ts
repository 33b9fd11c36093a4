// Koine as a contender of the benchmarks.
import type { Loss, ModelRequest, ModelResponse } from "../../src/index.ts";
import { dialect, dialects, parseJson, stringifyJson, transcode, user } from "../../src/index.ts";
import { ADDITION, APPENDED } from "../wire/edit.ts";
import type { DialectName, Kind } from "../wire/wire.ts";
import type { Contender, JobOutcome, TranslateJob } from "./contender.ts";

function outcome(wire: unknown, losses: readonly Loss[]): JobOutcome {
  const notes = losses.filter(({ level }) => level === "note").length;
  return { text: stringifyJson(wire), losses: losses.length - notes, notes };
}

/** Returns a reason if a dialect does not support the kind of payload; otherwise undefined. */
function findGap(kind: Kind | "streams", ...ids: readonly DialectName[]): string | undefined {
  const missing = ids.find((id) => !dialects.some((known) => known === id) || !dialect(id).supports.has(kind));
  return missing === undefined ? undefined : `no ${kind} in ${missing} yet`;
}

function changeText(messages: ModelRequest["messages"]): void {
  const texts = messages.flatMap(({ parts }) => parts.filter((part) => part.type === "text"));
  const text = texts.find((part) => part.text !== "");
  if (text !== undefined) text.text += ADDITION;
}

function editRequest(request: ModelRequest): void {
  changeText(request.messages.filter(({ role }) => role === "user"));
  request.messages.push(user(APPENDED));
}

function editResponse(response: ModelResponse): void {
  changeText([response.message, ...(response.alternatives ?? []).map(({ message }) => message)]);
}

/** Translates a request and reports the losses. */
export function translateWithKoine({ from, to, text, model }: TranslateJob): JobOutcome {
  const options = model === undefined ? {} : { address: { model } };
  const { wire, losses } = dialect(to).encodeRequest(dialect(from).decodeRequest(parseJson(text), options));
  return outcome(wire, losses);
}

export const koine: Contender = {
  roundTrippers: [
    {
      name: "koine",
      gap: (job) => findGap(job.kind, job.dialect),
      run({ dialect: id, kind, text, edit }) {
        const it = dialect(id);
        if (kind === "requests") {
          const request = it.decodeRequest(parseJson(text));
          if (edit) editRequest(request);
          const { wire, losses } = it.encodeRequest(request);
          return outcome(wire, losses);
        }
        const response = it.decodeResponse(parseJson(text));
        if (edit) editResponse(response);
        const { wire, losses } = it.encodeResponse(response);
        return outcome(wire, losses);
      },
    },
  ],
  translator: { name: "koine", gap: ({ from, to }) => findGap("requests", from, to), run: translateWithKoine },
  streamer: {
    name: "koine",
    gap: ({ from, to }) => findGap("streams", from, to),
    run({ from, to, chunks }) {
      const coder = transcode(from, to);
      let text = "";
      for (const chunk of chunks) text += coder.push(chunk) as string; // These dialects write text.
      return text + (coder.end() as string);
    },
  },
};
