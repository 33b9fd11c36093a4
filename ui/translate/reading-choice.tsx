// What a payload was taken for, and how to say that it is something else.
import styles from "./translate-view.module.css";
import { DIALECTS, KIND_WORDS, SPEAKER_NAMES } from "./names.ts";
import type { Kind, Reading, Speaker } from "./types.ts";
import { KINDS } from "./types.ts";

export interface Wanted {
  from?: Speaker;
  kind?: Kind;
}

export interface ReadingChoiceProps {
  reading: Reading | undefined;
  wanted: Wanted;
  onChange: (wanted: Wanted) => void;
}

const SPEAKERS: readonly Speaker[] = [...DIALECTS, "koine"];

function found(name: string | undefined): string {
  return name === undefined ? "Detect" : `Detected: ${name}`;
}

export function ReadingChoice({ reading, wanted, onChange }: ReadingChoiceProps) {
  // What was not said is left out.
  const change = (given: { from?: string; kind?: string }): void => {
    const next = { ...wanted, ...given };
    onChange(Object.fromEntries(Object.entries(next).filter(([, value]) => value !== "")));
  };
  return (
    <div className={styles["reading"]}>
      <label>
        Dialect
        <select value={wanted.from ?? ""} onChange={({ target }) => change({ from: target.value })}>
          <option value="">{found(reading && SPEAKER_NAMES[reading.from].title)}</option>
          {SPEAKERS.map((id) => (
            <option key={id} value={id}>
              {SPEAKER_NAMES[id].title}
            </option>
          ))}
        </select>
      </label>
      <label>
        What it is
        <select value={wanted.kind ?? ""} onChange={({ target }) => change({ kind: target.value })}>
          <option value="">{found(reading && KIND_WORDS[reading.kind])}</option>
          {KINDS.map((kind) => (
            <option key={kind} value={kind}>
              {KIND_WORDS[kind]}
            </option>
          ))}
        </select>
      </label>
    </div>
  );
}

/** What else it could be, and what else is to be known. */
export function Doubts({ reading: { maybe, remarks } }: { reading: Reading }) {
  const names = maybe.map((id) => SPEAKER_NAMES[id].short);
  const doubt =
    names.length === 0 ? [] : [`It could be of ${names.join(", ")} as well: little in it tells them apart.`];
  return [...doubt, ...remarks].map((remark) => (
    <p key={remark} className={styles["doubt"]}>
      {remark}
    </p>
  ));
}
