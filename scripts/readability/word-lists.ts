// Word lists and limits of the readability metrics. A change of a list changes the counts of the metrics.

/** A name that a metric does not count, and the reason. */
export interface AllowedName {
  name: string;
  reason: string;
}

/** Words that use speech as a metaphor for data; names with these words do not show what the value is. */
export const SPEECH_WORDS = new Set(
  (
    "said say says saying sayings sayable unsaid unsayable told tell tells telling untold retold asked ask asks asking " +
    "asker heard hear hears hearing unheard kept keep keeps keeping keeper spoken speak speaks speaking speaker words " +
    "word wording"
  ).split(" "),
);

/** Words that describe how the code obtained a value, although a name must state what the value is. */
export const ORIGIN_WORDS = new Set(["held", "wanted", "got"]);

export const ALLOWED_SPEECH: readonly AllowedName[] = [
  { name: "keepAlive", reason: "An option of pg." },
  { name: "keepAliveInitialDelayMillis", reason: "An option of pg." },
  { name: "keepAliveTimeout", reason: "An option of Node's HTTP server and of undici." },
];

/** First words of a comment that hide its subject. */
export const OPENING_WORDS = new Set(["what", "whatever", "whether", "which", "who", "whoever", "nobody", "somebody"]);

/** Pronouns that hide the subject anywhere in a comment. */
export const PRONOUNS = new Set(["nobody", "somebody", "whoever", "whatever"]);

/**
 * Beginnings of words in British spelling. `cancelled` is not in the list, because it is a stored state of runs and a
 * wire value of several providers, and names use the same spelling.
 */
export const BRITISH_STEMS = (
  "analyse artefact authoris behaviour capitalis catalogue categoris centre colour customis defence " +
  "emphasise favour finalis fulfil generalis grey honour initialis judgement labelled licence localis maximis " +
  "minimis modelled modelling neighbour normalis optimis organis prioritis randomis recognis sanitis serialis " +
  "signalled signalling specialis stabilis standardis summaris synchronis synthesise tokenis travelled utilis visualis"
).split(" ");

/** US words that begin with an entry of BRITISH_STEMS. */
export const US_WORDS = new Set(["fulfill", "fulfilled", "fulfillment", "organism"]);

export const ALLOWED_BRITISH: readonly AllowedName[] = [{ name: "aria-labelledby", reason: "An attribute of HTML." }];

/** Types of the platform, of its libraries and of TypeScript that a type of the project would hide. */
export const PLATFORM_TYPES = new Set(
  (
    "AbortController AbortSignal Animation Array ArrayBuffer Attr Blob Body Buffer Cache Clipboard Comment Console Crypto " +
    "Date Document Element Error Event EventSource EventTarget Exclude Extract File FileList FileReader FormData " +
    "Function Headers History Image Intl Iterable Iterator JSON Location Lock Map Math MessageChannel MessageEvent " +
    "MessagePort Navigator Node Notification Number Object Omit Option Partial Performance Pick Process Promise Proxy " +
    "Range Readable ReadableStream Readonly Record RegExp Reflect Request Required Response Screen Selection Server Set " +
    "Socket Storage Stream String Symbol Text TextDecoder TextEncoder Timeout Touch TransformStream URL URLSearchParams " +
    "WeakMap WeakRef WeakSet WebSocket Window Worker Writable WritableStream"
  ).split(" "),
);

/** Folders whose files the folder metrics count. */
export const ALL_FOLDERS: readonly string[] = ["src", "ui", "test", "bench", "scripts"];
export const CODE_FOLDERS: readonly string[] = ["src", "ui"];

export const MAX_FILES_PER_FOLDER = 30;
export const MAX_FILES_PER_DIALECT_FOLDER = 25;
