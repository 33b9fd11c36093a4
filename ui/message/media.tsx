// Images, audio, video and files, wherever they lie.
import type { AudioPart, MediaPart } from "koine";
import { type ReactNode, useState } from "react";
import { useApi, useBlobUrl } from "../data/hooks.ts";
import { Button, formatBytes, Icon, saveFile, useToast } from "../kit/index.ts";
import { visible } from "../markdown/address.ts";
import { RemoteMedia } from "../markdown/remote.tsx";
import { bytesOf } from "./bytes.ts";
import { LazyFold } from "./lazy-fold.tsx";
import { dataUrl, fileName, placeOf, shownType, sizeOf, typeOf } from "./media-source.ts";
import styles from "./media.module.css";
import { NestedParts } from "./nested.tsx";
import { PlainText } from "./plain-text.tsx";

export function Media({ part }: { part: MediaPart }) {
  return (
    <figure className={styles["media"]}>
      <Shown part={part} />
      {part.type === "audio" && <Transcript part={part} />}
    </figure>
  );
}

function Shown({ part }: { part: MediaPart }): ReactNode {
  const place = placeOf(part);
  const type = shownType(part);
  switch (place.at) {
    case "url":
      return <RemoteMedia url={place.url} kind={part.type} alt={part.name ?? ""} />;
    case "data": {
      const url = type === undefined ? undefined : dataUrl(place.data, type);
      return <Player part={part} url={url} content={() => Promise.resolve(bytesOf(place.data))} />;
    }
    case "blob":
      return <BlobPlayer part={part} blob={place.ref} type={type} />;
    case "text":
      return (
        <FileCard part={part} content={() => Promise.resolve(new Blob([place.text]))}>
          <LazyFold summary="Show the text">{() => <PlainText text={place.text} />}</LazyFold>
        </FileCard>
      );
    case "content":
      return (
        <FileCard part={part}>
          <NestedParts parts={part.content ?? []} />
        </FileCard>
      );
    case "elsewhere":
      return <FileCard part={part} note={place.words} />;
  }
}

function BlobPlayer({ part, blob, type }: { part: MediaPart; blob: string; type: string | undefined }) {
  const api = useApi();
  // Only what is shown is loaded; a file waits until it is saved.
  const url = useBlobUrl(type === undefined ? undefined : blob, type);
  return <Player part={part} url={url} content={() => api.blob(blob)} />;
}

type Content = () => Promise<Blob | undefined>;

function Player({ part, url, content }: { part: MediaPart; url: string | undefined; content: Content }) {
  const [broken, setBroken] = useState(false);
  const name = visible(part.name ?? `${part.type} of this message`, 120);
  if (url === undefined || broken) {
    return <FileCard part={part} content={content} note={broken ? "It cannot be shown here." : undefined} />;
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
        <Facts part={part} />
        <SaveButton part={part} content={content} />
      </figcaption>
    </>
  );
}

interface FileCardProps {
  part: MediaPart;
  content?: Content | undefined;
  note?: string | undefined;
  children?: ReactNode;
}

function FileCard({ part, content, note, children }: FileCardProps) {
  return (
    <div className={styles["card"]}>
      <div className={styles["cardHead"]}>
        <Icon name={part.type} size={20} />
        <Facts part={part} />
        {content !== undefined && <SaveButton part={part} content={content} />}
      </div>
      {note !== undefined && <p className={styles["note"]}>{note}</p>}
      {children}
    </div>
  );
}

function Facts({ part }: { part: MediaPart }) {
  const size = sizeOf(part);
  const type = typeOf(part);
  const facts = [
    type === undefined ? part.type : visible(type, 80),
    size === undefined ? undefined : formatBytes(size),
  ];
  return (
    <span className={styles["facts"]}>
      {part.name !== undefined && <bdi className={styles["name"]}>{visible(part.name, 120)}</bdi>}
      <span>{facts.filter(Boolean).join(" · ")}</span>
    </span>
  );
}

function SaveButton({ part, content }: { part: MediaPart; content: Content }) {
  const toast = useToast();
  const [busy, setBusy] = useState(false);
  const save = async (): Promise<void> => {
    setBusy(true);
    try {
      const bytes = await content();
      if (bytes === undefined) toast("Its content is damaged and cannot be saved.", "error");
      else saveFile(fileName(part), bytes);
    } catch (error) {
      toast(error instanceof Error ? error.message : "It could not be loaded.", "error");
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
