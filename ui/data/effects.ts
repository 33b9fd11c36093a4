// What the page's data needs of the world around it: network, time, chance, and whether anybody looks. Given from outside, so
// that all else can be tried without a browser.

export interface PageEffects {
  fetch(url: string, init?: RequestInit): Promise<Response>;
  /** Milliseconds. */
  now(): number;
  /** Calls back once, later; the returned function takes that back. */
  delay(callback: () => void, ms: number): () => void;
  /** Calls back before the next frame is drawn; soon, where none are drawn. The returned function takes that back. */
  frame(callback: () => void): () => void;
  /** Whether the tab is shown, or has something to do all the same. */
  isVisible(): boolean;
  /** Told when the tab is shown or hidden. */
  onVisibility(listener: () => void): () => void;
  /** Told when there is a network again. */
  onOnline(listener: () => void): () => void;
  randomBytes(count: number): Uint8Array;
  /** What outlives a reload; undefined where nothing may be kept. */
  storage: Pick<Storage, "getItem" | "setItem" | "removeItem"> | undefined;
  /** Forgets what this tab keeps over a reload: words that were not sent yet. */
  clearTab(): void;
  /** Told when another tab has changed what is kept. */
  onStorage(listener: () => void): () => void;
}

/** Frames stop while a tab is hidden: after so long nobody waits for one. */
const FRAME_MS = 250;

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
      const timer = setTimeout(call, FRAME_MS);
      const cancel = (): void => {
        cancelAnimationFrame(frame);
        clearTimeout(timer);
      };
      return cancel;
    },
    isVisible: () => awake.size > 0 || document.visibilityState === "visible",
    onVisibility: (listener) => {
      waking.add(listener);
      const leave = listen(document, "visibilitychange", listener);
      return () => [leave(), waking.delete(listener)];
    },
    onOnline: (listener) => listen(window, "online", listener),
    randomBytes: (count) => crypto.getRandomValues(new Uint8Array(count)),
    storage: storageOf(),
    clearTab,
    onStorage: (listener) => listen(window, "storage", listener),
  };
}

/** Those who want a tab that nobody looks at to go on as if somebody did. */
const awake = new Set<object>();
const waking = new Set<() => void>();

/** Something is still to be done here, though the tab may be hidden: connections are kept until the returned function is called. */
export function stayAwake(): () => void {
  const wish = {};
  awake.add(wish);
  for (const listener of waking) listener();
  return () => {
    if (!awake.delete(wish)) return;
    for (const listener of waking) listener();
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

/** Browsers that keep nothing for a page throw when they are asked. */
function storageOf(): Storage | undefined {
  try {
    return localStorage;
  } catch {
    return undefined;
  }
}

const OWN = "koine.";

function clearTab(): void {
  try {
    for (const key of Object.keys(sessionStorage)) if (key.startsWith(OWN)) sessionStorage.removeItem(key);
  } catch {
    // Then nothing is kept.
  }
}

/** The letters of ULIDs. */
const LETTERS = "0123456789ABCDEFGHJKMNPQRSTVWXYZ";
const TIME_LENGTH = 10;
const CHANCE_LENGTH = 16;

/** An id as the server makes them: it sorts by time. */
export function newId({ now, randomBytes }: Pick<PageEffects, "now" | "randomBytes">): string {
  let time = now();
  let id = "";
  for (let at = 0; at < TIME_LENGTH; at++) {
    id = LETTERS.charAt(time % LETTERS.length) + id;
    time = Math.floor(time / LETTERS.length);
  }
  for (const byte of randomBytes(CHANCE_LENGTH)) id += LETTERS.charAt(byte % LETTERS.length);
  return id;
}
