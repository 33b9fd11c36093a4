// The files that go with a message, before it is sent: each with a picture or sign, its name and size, and a way back.
import { useEffect, useState } from "react";
import { formatBytes, Icon, IconButton, type IconName } from "../kit/index.ts";
import styles from "./attachment-list.module.css";
import type { Attachment } from "./attachments.ts";

export interface AttachmentListProps {
  attachments: readonly Attachment[];
  onRemove?: (key: string) => void;
}

export function AttachmentList({ attachments, onRemove }: AttachmentListProps) {
  if (attachments.length === 0) return null;
  return (
    <ul className={styles["list"]} aria-label="Attached files">
      {attachments.map((attachment) => (
        <AttachmentChip key={attachment.key} attachment={attachment} onRemove={onRemove} />
      ))}
    </ul>
  );
}

interface ChipProps {
  attachment: Attachment;
  onRemove: ((key: string) => void) | undefined;
}

function AttachmentChip({ attachment, onRemove }: ChipProps) {
  const { key, name, size, part } = attachment;
  return (
    <li className={styles["chip"]}>
      {part.type === "image" && part.data !== undefined ? (
        <Thumbnail data={part.data} mimeType={part.mimeType ?? "image/png"} />
      ) : (
        <Icon name={SIGNS[part.type]} size={16} />
      )}
      <span className={styles["name"]} title={name}>
        {name}
      </span>
      <span className={styles["size"]}>{formatBytes(size)}</span>
      {onRemove !== undefined && (
        <IconButton label={`Remove ${name}`} icon="close" size={14} onClick={() => onRemove(key)} />
      )}
    </li>
  );
}

const SIGNS: Record<Attachment["part"]["type"], IconName> = {
  image: "image",
  audio: "audio",
  video: "video",
  file: "file",
};

/** From a blob: an address that holds the whole picture as text would be copied with every rendering. */
function Thumbnail({ data, mimeType }: { data: string; mimeType: string }) {
  const [url, setUrl] = useState<string>();
  useEffect(() => {
    const bytes = Uint8Array.from(atob(data), (character) => character.charCodeAt(0));
    const made = URL.createObjectURL(new Blob([bytes], { type: mimeType }));
    setUrl(made);
    return () => URL.revokeObjectURL(made);
  }, [data, mimeType]);
  return url === undefined ? null : <img className={styles["thumbnail"]} src={url} alt="" />;
}
