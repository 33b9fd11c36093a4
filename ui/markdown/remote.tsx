// Media that lie on another server. Asking for them would tell that server who reads, so nothing is loaded until the reader
// says so; then it is shown in a frame that has no script and no access to this page.
import { useState } from "react";
import { Button, Icon } from "../kit/index.ts";
import { readRemote, visible } from "./address.ts";
import styles from "./remote.module.css";

export type RemoteKind = "image" | "audio" | "video" | "file";

export interface RemoteMediaProps {
  url: string;
  kind: RemoteKind;
  /** What it shows, in words. */
  alt?: string;
}

export function RemoteMedia({ url, kind, alt = "" }: RemoteMediaProps) {
  const [loaded, setLoaded] = useState(false);
  const address = readRemote(url);
  const title = `${kind[0]?.toUpperCase()}${kind.slice(1)} ${address === undefined ? "" : `at ${address.host}`}`.trim();
  return (
    <span className={styles["card"]} role="group" aria-label={title}>
      <span className={styles["head"]}>
        <Icon name={kind} size={18} />
        <span className={styles["words"]}>
          <span className={styles["title"]}>{title}</span>
          {alt !== "" && <bdi className={styles["alt"]}>{visible(alt, 200)}</bdi>}
          <span className={styles["address"]}>{visible(address?.href ?? url)}</span>
        </span>
      </span>
      {address === undefined ? (
        <span className={styles["note"]}>It cannot be shown: only http: and https: addresses can.</span>
      ) : (
        <span className={styles["actions"]}>
          {kind !== "file" && (
            <Button small icon={loaded ? "close" : "eye"} onClick={() => setLoaded(!loaded)}>
              {loaded ? `Hide ${kind}` : `Load ${kind}`}
            </Button>
          )}
          <a href={address.href} target="_blank" rel="noopener noreferrer nofollow" className={styles["open"]}>
            <Icon name="external" size={14} /> Open
          </a>
        </span>
      )}
      {loaded && kind !== "file" && address !== undefined && (
        <iframe
          sandbox=""
          referrerPolicy="no-referrer"
          title={title}
          src={`/remote?kind=${kind}&url=${encodeURIComponent(address.href)}`}
          className={`${styles["frame"]} ${styles[kind]}`}
        />
      )}
    </span>
  );
}
