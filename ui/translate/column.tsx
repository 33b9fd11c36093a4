// One column: a document with its marks, and what can be done with it.
import { useMemo, type ReactNode } from "react";
import { CopyButton, IconButton, saveFile, Spinner } from "../kit/index.ts";
import type { OnSelect } from "../json/json-view.tsx";
import { JsonView } from "../json/json-view.tsx";
import type { JsonDocument } from "../json/document.ts";
import type { Mark } from "../json/marks.ts";
import { tallyOf, tallyWords } from "../json/marks.ts";
import { ColumnOptionsButton } from "./column-options.tsx";
import styles from "./columns.module.css";
import type { Levels } from "./loss-marks.ts";
import { columnMarks } from "./loss-marks.ts";
import { SPEAKER_NAMES } from "./names.ts";
import type { Column, Kind, Target } from "./types.ts";
import type { ColumnOptions } from "./use-translator.ts";

interface Selecting {
  selection: readonly string[];
  onSelect: OnSelect;
}

export interface DialectColumnProps extends Selecting {
  target: Target;
  column: Column | undefined;
  kind: Kind;
  model: string;
  levels: Levels;
  setOptions: (options: ColumnOptions) => void;
  onClose: (() => void) | undefined;
}

/** The element of a column: a dialect's, or "koine". There is one view with columns at a time. */
export function columnId(dialect: string): string {
  return `column-${dialect}`;
}

export function DialectColumn(props: DialectColumnProps) {
  const { target, column, kind, levels, onClose } = props;
  const { title } = SPEAKER_NAMES[target.dialect];
  const marks = useMemo(() => (column === undefined ? [] : columnMarks(column, levels)), [column, levels]);
  const document = column?.document;
  return (
    <section id={columnId(target.dialect)} className={styles["column"]} aria-label={title}>
      <header className={styles["head"]}>
        <h2>{title}</h2>
        {kind === "request" && <ColumnOptionsButton target={target} model={props.model} onChange={props.setOptions} />}
        {column !== undefined && document !== undefined && <Exports column={column} document={document} kind={kind} />}
        {onClose !== undefined && <IconButton label={`Hide ${title}`} icon="close" size={16} onClick={onClose} />}
      </header>
      {column !== undefined && <Remarks column={column} />}
      {column === undefined && <p className={styles["wait"]}>{<Spinner label={`Translating to ${title}`} />}</p>}
      {column?.failure !== undefined && <p className={styles["failure"]}>{column.failure}</p>}
      {column !== undefined && document !== undefined && (
        <JsonView document={document} label={title} marks={marks} selection={props.selection} onSelect={props.onSelect}>
          <LossTally column={column} />
        </JsonView>
      )}
    </section>
  );
}

/** All of its losses, also those that are not shown as marks. */
function LossTally({ column: { losses } }: { column: Column }) {
  const words = tallyWords(tallyOf(losses));
  return <span className={styles["tally"]}>{words === "" ? "Nothing is lost" : words}</span>;
}

function Remarks({ column: { remarks, beside } }: { column: Column }) {
  const all = [...beside, ...remarks];
  if (all.length === 0) return null;
  return (
    <ul className={styles["remarks"]}>
      {all.map((remark) => (
        <li key={remark}>{remark}</li>
      ))}
    </ul>
  );
}

function Exports({ column, document, kind }: { column: Column; document: JsonDocument; kind: Kind }) {
  const { title } = SPEAKER_NAMES[column.target.dialect];
  const { wire } = column;
  const content = wire ?? document.text;
  const ending = wire === undefined ? "json" : typeof wire === "string" ? "sse" : "bin";
  return (
    <>
      <CopyButton text={typeof content === "string" ? content : document.text} label={`Copy ${title}`} />
      <IconButton
        label={`Download ${title}`}
        icon="download"
        onClick={() => saveFile(`${column.target.dialect}-${kind}.${ending}`, content)}
      />
    </>
  );
}

export interface CanonicalColumnProps extends Selecting {
  document: JsonDocument;
  kind: Kind;
  marks: readonly Mark[];
  children?: ReactNode;
}

export function CanonicalColumn({ document, kind, marks, selection, onSelect, children }: CanonicalColumnProps) {
  return (
    <section id={columnId("koine")} className={`${styles["column"]} ${styles["canonical"]}`} aria-label="Canonical">
      <header className={styles["head"]}>
        <h2>Canonical</h2>
        <CopyButton text={document.text} label="Copy Canonical" />
        <IconButton
          label="Download Canonical"
          icon="download"
          onClick={() => saveFile(`canonical-${kind}.json`, document.text)}
        />
      </header>
      <JsonView document={document} label="Canonical" marks={marks} selection={selection} onSelect={onSelect}>
        {children}
      </JsonView>
    </section>
  );
}
