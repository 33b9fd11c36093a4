// Shows the list of attached files in the composer: icon or thumbnail, name, size and a remove button.
import { useEffect, useState } from "react";
import { formatBytes, Icon, IconButton, type IconName } from "../../kit/index.ts";
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

interface AttachmentChipProps {
  attachment: Attachment;
  onRemove: ((key: string) => void) | undefined;
}

function AttachmentChip({ attachment, onRemove }: AttachmentChipProps) {
  const { key, name, size, part } = attachment;
  return (
    <li className={styles["chip"]}>
      {part.type === "image" && part.data !== undefined ? (
        <Thumbnail data={part.data} mimeType={part.mimeType ?? "image/png"} />
      ) : (
        <Icon name={ICONS[part.type]} size={16} />
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

const ICONS: Record<Attachment["part"]["type"], IconName> = {
  image: "image",
  audio: "audio",
  video: "video",
  file: "file",
};

/**
 * Shows an image through an object URL. With a data URL, React would compare the whole text of the image in every
 * render.
 */
function Thumbnail({ data, mimeType }: { data: string; mimeType: string }) {
  const [url, setUrl] = useState<string>();
  useEffect(() => {
    const bytes = Uint8Array.from(atob(data), (character) => character.charCodeAt(0));
    const objectUrl = URL.createObjectURL(new Blob([bytes], { type: mimeType }));
    setUrl(objectUrl);
    return () => URL.revokeObjectURL(objectUrl);
  }, [data, mimeType]);
  return url === undefined ? null : <img className={styles["thumbnail"]} src={url} alt="" />;
}
