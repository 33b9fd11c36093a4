// Shows media on other servers. Loading them reveals the user's address to that server, so they load only after a
// click, in a sandboxed frame without scripts.
import { useState } from "react";
import { Button, Icon } from "../kit/index.ts";
import { parseMediaUrl, escapeInvisible } from "./safe-url.ts";
import styles from "./remote-media.module.css";

export type RemoteMediaKind = "image" | "audio" | "video" | "file";

export interface RemoteMediaProps {
  url: string;
  kind: RemoteMediaKind;
  /** Alternative text. */
  alt?: string;
}

export function RemoteMedia({ url, kind, alt = "" }: RemoteMediaProps) {
  const [loaded, setLoaded] = useState(false);
  const remoteUrl = parseMediaUrl(url);
  const title =
    `${kind[0]?.toUpperCase()}${kind.slice(1)} ${remoteUrl === undefined ? "" : `at ${remoteUrl.host}`}`.trim();
  return (
    <span className={styles["card"]} role="group" aria-label={title}>
      <span className={styles["head"]}>
        <Icon name={kind} size={18} />
        <span className={styles["words"]}>
          <span className={styles["title"]}>{title}</span>
          {alt !== "" && <bdi className={styles["alt"]}>{escapeInvisible(alt, 200)}</bdi>}
          <span className={styles["address"]}>{escapeInvisible(remoteUrl?.href ?? url)}</span>
        </span>
      </span>
      {remoteUrl === undefined ? (
        <span className={styles["note"]}>Only media with an http: or https: URL can be shown.</span>
      ) : (
        <span className={styles["actions"]}>
          {kind !== "file" && (
            <Button small icon={loaded ? "close" : "eye"} onClick={() => setLoaded(!loaded)}>
              {loaded ? `Hide ${kind}` : `Load ${kind}`}
            </Button>
          )}
          <a href={remoteUrl.href} target="_blank" rel="noopener noreferrer nofollow" className={styles["open"]}>
            <Icon name="external" size={14} /> Open
          </a>
        </span>
      )}
      {loaded && kind !== "file" && remoteUrl !== undefined && (
        <iframe
          sandbox=""
          referrerPolicy="no-referrer"
          title={title}
          src={`/remote?kind=${kind}&url=${encodeURIComponent(remoteUrl.href)}`}
          className={`${styles["frame"]} ${styles[kind]}`}
        />
      )}
    </span>
  );
}
