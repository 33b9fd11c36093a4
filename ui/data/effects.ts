// Defines the platform functions that the page's data layer uses: network, time, randomness, storage and tab
// visibility. They are passed as parameters, so that tests run without a browser.

export interface PageEffects {
  fetch(url: string, init?: RequestInit): Promise<Response>;
  /** Returns the current time in milliseconds since 1970. */
  now(): number;
  /** Calls `callback` once after `ms` milliseconds. The returned function cancels the call. */
  delay(callback: () => void, ms: number): () => void;
  /**
   * Calls `callback` before the next frame, or after a short time in a hidden tab. The returned function cancels the
   * call.
   */
  frame(callback: () => void): () => void;
  /** Returns true if the tab is visible, or if `keepConnectionsOpen` was called and not ended. */
  isVisible(): boolean;
  /** Calls the listener when the result of `isVisible` may have changed. Returns a function that unsubscribes. */
  onVisibility(listener: () => void): () => void;
  /** Calls the listener when the network is back. */
  onOnline(listener: () => void): () => void;
  randomBytes(count: number): Uint8Array;
  /** localStorage; undefined if the browser denies access to it. */
  storage: Pick<Storage, "getItem" | "setItem" | "removeItem"> | undefined;
  /** Deletes the page's sessionStorage entries of this tab: drafts and unsent messages. */
  clearTabStorage(): void;
  /** Calls the listener when another tab has changed localStorage. */
  onStorage(listener: () => void): () => void;
}

/** Longest wait for a frame; browsers draw no frames in hidden tabs, so the callback then runs after this time. */
const LONGEST_FRAME_WAIT_MS = 250;

export function browserEffects(): PageEffects {
  return {
    fetch: (url, init) => fetch(url, init),
    now: () => Date.now(),
    delay,
    frame: (callback) => {
      const call = (): void => {
        cancel();
        callback();
      };
      const frame = requestAnimationFrame(call);
      const timer = setTimeout(call, LONGEST_FRAME_WAIT_MS);
      const cancel = (): void => {
        cancelAnimationFrame(frame);
        clearTimeout(timer);
      };
      return cancel;
    },
    isVisible: () => wakeLocks.size > 0 || document.visibilityState === "visible",
    onVisibility: (listener) => {
      visibilityListeners.add(listener);
      const leave = listen(document, "visibilitychange", listener);
      return () => [leave(), visibilityListeners.delete(listener)];
    },
    onOnline: (listener) => listen(window, "online", listener),
    randomBytes: (count) => crypto.getRandomValues(new Uint8Array(count)),
    storage: findLocalStorage(),
    clearTabStorage,
    onStorage: (listener) => listen(window, "storage", listener),
  };
}

/**
 * One object per call of `keepConnectionsOpen` that is not ended. The tab counts as visible while the set is not empty.
 */
const wakeLocks = new Set<object>();
const visibilityListeners = new Set<() => void>();

/** Keeps the connections of a hidden tab open, for work that must finish, until the returned function is called. */
export function keepConnectionsOpen(): () => void {
  const wakeLock = {};
  wakeLocks.add(wakeLock);
  for (const listener of visibilityListeners) listener();
  return () => {
    if (!wakeLocks.delete(wakeLock)) return;
    for (const listener of visibilityListeners) listener();
  };
}

export function delay(callback: () => void, ms: number): () => void {
  const timer = setTimeout(callback, ms);
  return () => clearTimeout(timer);
}

function listen(target: EventTarget, name: string, listener: () => void): () => void {
  target.addEventListener(name, listener);
  return () => target.removeEventListener(name, listener);
}

/** Returns localStorage; undefined if the browser denies it, which makes reading `localStorage` throw. */
function findLocalStorage(): Storage | undefined {
  try {
    return localStorage;
  } catch {
    return undefined;
  }
}

const STORAGE_PREFIX = "koine.";

function clearTabStorage(): void {
  try {
    for (const key of Object.keys(sessionStorage)) if (key.startsWith(STORAGE_PREFIX)) sessionStorage.removeItem(key);
  } catch {
    // The browser denies storage, so there are no entries to delete.
  }
}

const CROCKFORD_ALPHABET = "0123456789ABCDEFGHJKMNPQRSTVWXYZ";
const TIME_LENGTH = 10;
const RANDOM_LENGTH = 16;

/** Creates a ULID, the id format of the server; ULIDs sort by their creation time. */
export function newId({ now, randomBytes }: Pick<PageEffects, "now" | "randomBytes">): string {
  let time = now();
  let id = "";
  for (let at = 0; at < TIME_LENGTH; at++) {
    id = CROCKFORD_ALPHABET.charAt(time % CROCKFORD_ALPHABET.length) + id;
    time = Math.floor(time / CROCKFORD_ALPHABET.length);
  }
  for (const byte of randomBytes(RANDOM_LENGTH)) id += CROCKFORD_ALPHABET.charAt(byte % CROCKFORD_ALPHABET.length);
  return id;
}
