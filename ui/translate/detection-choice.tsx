// Shows the detected dialect and kind of the payload, and lets the user override them.
import styles from "./translate-view.module.css";
import { DIALECTS, KIND_NAMES, DIALECT_NAMES } from "./dialect-names.ts";
import type { SourceKind, ReadResult, SourceDialect } from "./types.ts";
import { PAYLOAD_KINDS } from "./types.ts";

export interface DetectionOverride {
  from?: SourceDialect;
  kind?: SourceKind;
}

export interface DetectionChoiceProps {
  reading: ReadResult | undefined;
  override: DetectionOverride;
  onChange: (override: DetectionOverride) => void;
}

const SOURCE_DIALECTS: readonly SourceDialect[] = [...DIALECTS, "koine"];

function formatDetected(name: string | undefined): string {
  return name === undefined ? "Detect" : `Detected: ${name}`;
}

export function DetectionChoice({ reading, override, onChange }: DetectionChoiceProps) {
  // The option "Detect" has an empty value; an override with an empty value is removed.
  const change = (changes: { from?: string; kind?: string }): void => {
    const next = { ...override, ...changes };
    onChange(Object.fromEntries(Object.entries(next).filter(([, value]) => value !== "")));
  };
  return (
    <div className={styles["reading"]}>
      <label>
        Dialect
        <select value={override.from ?? ""} onChange={({ target }) => change({ from: target.value })}>
          <option value="">{formatDetected(reading && DIALECT_NAMES[reading.from].title)}</option>
          {SOURCE_DIALECTS.map((id) => (
            <option key={id} value={id}>
              {DIALECT_NAMES[id].title}
            </option>
          ))}
        </select>
      </label>
      <label>
        Kind
        <select value={override.kind ?? ""} onChange={({ target }) => change({ kind: target.value })}>
          <option value="">{formatDetected(reading && KIND_NAMES[reading.kind])}</option>
          {PAYLOAD_KINDS.map((kind) => (
            <option key={kind} value={kind}>
              {KIND_NAMES[kind]}
            </option>
          ))}
        </select>
      </label>
    </div>
  );
}

/** Shows the other dialects that fit the payload, and the remarks on it. */
export function DetectionRemarks({ reading: { alternatives, remarks } }: { reading: ReadResult }) {
  const names = alternatives.map((id) => DIALECT_NAMES[id].short);
  const ambiguity =
    names.length === 0 ? [] : [`The payload also fits ${names.join(", ")}; it has little that distinguishes them.`];
  return [...ambiguity, ...remarks].map((remark) => (
    <p key={remark} className={styles["doubt"]}>
      {remark}
    </p>
  ));
}
