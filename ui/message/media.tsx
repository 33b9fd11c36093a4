// Shows the images, audio, video and files of a message, from inline data, blobs, URLs or provider files.
import type { AudioPart, MediaPart } from "koine";
import { type ReactNode, useState } from "react";
import { useApi, useBlobUrl } from "../data/hooks.ts";
import { Button, formatBytes, Icon, saveFile, useToast } from "../kit/index.ts";
import { escapeInvisible } from "../markdown/safe-url.ts";
import { RemoteMedia } from "../markdown/remote-media.tsx";
import { decodeBase64 } from "./decode-base64.ts";
import { LazyFold } from "./lazy-fold.tsx";
import {
  toDataUrl,
  toDownloadName,
  locateMedia,
  findDisplayType,
  estimateSize,
  detectMimeType,
} from "./media-source.ts";
import styles from "./media.module.css";
import { NestedParts } from "./nested-parts.tsx";
import { PlainText } from "./plain-text.tsx";

export function Media({ part }: { part: MediaPart }) {
  return (
    <figure className={styles["media"]}>
      <MediaContent part={part} />
      {part.type === "audio" && <Transcript part={part} />}
    </figure>
  );
}

function MediaContent({ part }: { part: MediaPart }): ReactNode {
  const location = locateMedia(part);
  const type = findDisplayType(part);
  switch (location.at) {
    case "url":
      return <RemoteMedia url={location.url} kind={part.type} alt={part.name ?? ""} />;
    case "data": {
      const url = type === undefined ? undefined : toDataUrl(location.data, type);
      return <MediaPlayer part={part} url={url} content={() => Promise.resolve(decodeBase64(location.data))} />;
    }
    case "blob":
      return <BlobMediaPlayer part={part} blob={location.ref} type={type} />;
    case "text":
      return (
        <FileCard part={part} content={() => Promise.resolve(new Blob([location.text]))}>
          <LazyFold summary="Show the text">{() => <PlainText text={location.text} />}</LazyFold>
        </FileCard>
      );
    case "content":
      return (
        <FileCard part={part}>
          <NestedParts parts={part.content ?? []} />
        </FileCard>
      );
    case "elsewhere":
      return <FileCard part={part} note={location.description} />;
  }
}

function BlobMediaPlayer({ part, blob, type }: { part: MediaPart; blob: string; type: string | undefined }) {
  const api = useApi();
  // A blob is loaded at once only if the page can display it (`type` is defined); other blobs are loaded when the user
  // downloads them.
  const url = useBlobUrl(type === undefined ? undefined : blob, type);
  return <MediaPlayer part={part} url={url} content={() => api.blob(blob)} />;
}

type LoadContent = () => Promise<Blob | undefined>;

function MediaPlayer({ part, url, content }: { part: MediaPart; url: string | undefined; content: LoadContent }) {
  const [broken, setBroken] = useState(false);
  const name = escapeInvisible(part.name ?? `${part.type} of this message`, 120);
  if (url === undefined || broken) {
    return <FileCard part={part} content={content} note={broken ? "The browser cannot display it." : undefined} />;
  }
  const failed = (): void => setBroken(true);
  const shared = { src: url, onError: failed };
  return (
    <>
      {part.type === "audio" ? (
        // oxlint-disable-next-line jsx-a11y/media-has-caption -- Its transcript, where there is one, stands below it.
        <audio {...shared} controls preload="metadata" aria-label={name} className={styles["audio"]} />
      ) : part.type === "video" ? (
        // oxlint-disable-next-line jsx-a11y/media-has-caption -- Messages have none.
        <video {...shared} controls preload="metadata" aria-label={name} className={styles["video"]} />
      ) : (
        <img {...shared} alt={name} className={styles["image"]} />
      )}
      <figcaption className={styles["caption"]}>
        <MediaDetails part={part} />
        <SaveButton part={part} content={content} />
      </figcaption>
    </>
  );
}

interface FileCardProps {
  part: MediaPart;
  content?: LoadContent | undefined;
  note?: string | undefined;
  children?: ReactNode;
}

function FileCard({ part, content, note, children }: FileCardProps) {
  return (
    <div className={styles["card"]}>
      <div className={styles["cardHead"]}>
        <Icon name={part.type} size={20} />
        <MediaDetails part={part} />
        {content !== undefined && <SaveButton part={part} content={content} />}
      </div>
      {note !== undefined && <p className={styles["note"]}>{note}</p>}
      {children}
    </div>
  );
}

function MediaDetails({ part }: { part: MediaPart }) {
  const size = estimateSize(part);
  const type = detectMimeType(part);
  const details = [
    type === undefined ? part.type : escapeInvisible(type, 80),
    size === undefined ? undefined : formatBytes(size),
  ];
  return (
    <span className={styles["facts"]}>
      {part.name !== undefined && <bdi className={styles["name"]}>{escapeInvisible(part.name, 120)}</bdi>}
      <span>{details.filter(Boolean).join(" · ")}</span>
    </span>
  );
}

function SaveButton({ part, content }: { part: MediaPart; content: LoadContent }) {
  const toast = useToast();
  const [busy, setBusy] = useState(false);
  const save = async (): Promise<void> => {
    setBusy(true);
    try {
      const bytes = await content();
      if (bytes === undefined) toast("The file cannot be saved: its data is not valid base64.", "error");
      else saveFile(toDownloadName(part), bytes);
    } catch (error) {
      toast(error instanceof Error ? error.message : "The file could not be loaded.", "error");
    } finally {
      setBusy(false);
    }
  };
  return (
    <Button small icon="download" busy={busy} onClick={() => void save()}>
      Download
    </Button>
  );
}

function Transcript({ part: { transcript } }: { part: AudioPart }) {
  if (transcript === undefined || transcript === "") return null;
  return <PlainText text={transcript} />;
}
