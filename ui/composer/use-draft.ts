// A conversation's draft in a component: its words, its files, and why some files are not among them.
import { useState, useSyncExternalStore } from "react";
import { bytesOf, type Draft, isBlank, readFiles, withFiles } from "./attachments.ts";
import { drafts } from "./drafts.ts";

export interface DraftHold {
  draft: Draft;
  blank: boolean;
  /** Files that were not taken, a sentence each. */
  refused: readonly string[];
  write: (text: string) => void;
  attach: (files: readonly File[]) => void;
  detach: (key: string) => void;
  /** Does not want the files back that a reload has lost. */
  forgetGone: () => void;
}

export function useDraft(name: string): DraftHold {
  const draft = useSyncExternalStore(drafts.subscribe, () => drafts.get(name));
  const [refused, setRefused] = useState<readonly string[]>([]);
  const attach = async (files: readonly File[]): Promise<void> => {
    const read = await readFiles(files, bytesOf(drafts.get(name).attachments));
    setRefused(read.refused);
    drafts.change(name, (now) => withFiles(now, read.attachments));
  };
  return {
    draft,
    blank: isBlank(draft),
    refused,
    write: (text) => drafts.change(name, (now) => ({ ...now, text })),
    attach: (files) => {
      attach(files).catch((error: unknown) => setRefused([`The files cannot be read: ${String(error)}`]));
    },
    forgetGone: () => drafts.change(name, ({ text, attachments }) => ({ text, attachments })),
    detach: (key) => {
      setRefused([]);
      drafts.change(name, (now) => ({ ...now, attachments: now.attachments.filter((each) => each.key !== key) }));
    },
  };
}
