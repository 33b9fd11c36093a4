// Shows one column: a JSON document with its marks and export buttons.
import { useMemo, type ReactNode } from "react";
import { CopyButton, IconButton, saveFile, Spinner } from "../kit/index.ts";
import type { OnSelectMark } from "../json/json-view.tsx";
import { JsonView } from "../json/json-view.tsx";
import type { JsonDocument } from "../json/json-document.ts";
import type { DocumentMark } from "../json/document-marks.ts";
import { countMarks, formatMarkCounts } from "../json/document-marks.ts";
import { ColumnOptionsButton } from "./column-options.tsx";
import styles from "./columns.module.css";
import type { ShownLevels } from "./loss-marks.ts";
import { createColumnMarks } from "./loss-marks.ts";
import { DIALECT_NAMES } from "./dialect-names.ts";
import type { TranslatedColumn, SourceKind, ColumnTarget } from "./types.ts";
import type { ColumnOptions } from "./use-translator.ts";

interface SelectionProps {
  selection: readonly string[];
  onSelect: OnSelectMark;
}

export interface DialectColumnProps extends SelectionProps {
  target: ColumnTarget;
  column: TranslatedColumn | undefined;
  kind: SourceKind;
  model: string;
  levels: ShownLevels;
  setOptions: (options: ColumnOptions) => void;
  onClose: (() => void) | undefined;
}

/**
 * Returns the element id of a column. `dialect` is a dialect id, or "koine" for the canonical column. The id is unique,
 * because only one view with columns exists at a time.
 */
export function toColumnElementId(dialect: string): string {
  return `column-${dialect}`;
}

export function DialectColumn(props: DialectColumnProps) {
  const { target, column, kind, levels, onClose } = props;
  const { title } = DIALECT_NAMES[target.dialect];
  const marks = useMemo(() => (column === undefined ? [] : createColumnMarks(column, levels)), [column, levels]);
  const document = column?.document;
  return (
    <section id={toColumnElementId(target.dialect)} className={styles["column"]} aria-label={title}>
      <header className={styles["head"]}>
        <h2>{title}</h2>
        {kind === "request" && <ColumnOptionsButton target={target} model={props.model} onChange={props.setOptions} />}
        {column !== undefined && document !== undefined && (
          <ExportButtons column={column} document={document} kind={kind} />
        )}
        {onClose !== undefined && <IconButton label={`Hide ${title}`} icon="close" size={16} onClick={onClose} />}
      </header>
      {column !== undefined && <ColumnRemarks column={column} />}
      {column === undefined && <p className={styles["wait"]}>{<Spinner label={`Translating to ${title}`} />}</p>}
      {column?.failure !== undefined && <p className={styles["failure"]}>{column.failure}</p>}
      {column !== undefined && document !== undefined && (
        <JsonView document={document} label={title} marks={marks} selection={props.selection} onSelect={props.onSelect}>
          <LossCounts column={column} />
        </JsonView>
      )}
    </section>
  );
}

/** Shows the number of losses for each level. Losses that are filtered out of the marks are counted, too. */
function LossCounts({ column: { losses } }: { column: TranslatedColumn }) {
  const counts = formatMarkCounts(countMarks(losses));
  return <span className={styles["tally"]}>{counts === "" ? "No losses" : counts}</span>;
}

function ColumnRemarks({ column: { remarks, envelope } }: { column: TranslatedColumn }) {
  const all = [...envelope, ...remarks];
  if (all.length === 0) return null;
  return (
    <ul className={styles["remarks"]}>
      {all.map((remark) => (
        <li key={remark}>{remark}</li>
      ))}
    </ul>
  );
}

function ExportButtons({
  column,
  document,
  kind,
}: {
  column: TranslatedColumn;
  document: JsonDocument;
  kind: SourceKind;
}) {
  const { title } = DIALECT_NAMES[column.target.dialect];
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

export interface CanonicalColumnProps extends SelectionProps {
  document: JsonDocument;
  kind: SourceKind;
  marks: readonly DocumentMark[];
  children?: ReactNode;
}

export function CanonicalColumn({ document, kind, marks, selection, onSelect, children }: CanonicalColumnProps) {
  return (
    <section
      id={toColumnElementId("koine")}
      className={`${styles["column"]} ${styles["canonical"]}`}
      aria-label="Canonical"
    >
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
