// What browsers are told about the page: it runs its own scripts and nothing else, makes no HTML out of texts, and talks to
// this server alone. Whatever a message holds, nothing of it can run or call home.

const PAGE_POLICY = [
  "default-src 'none'",
  "script-src 'self'",
  "worker-src 'self'",
  "style-src 'self'",
  // Media of messages are data, or blobs that were fetched with the token.
  "img-src 'self' data: blob:",
  "media-src data: blob:",
  "font-src 'self'",
  "connect-src 'self'",
  "frame-src 'self'",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
  "require-trusted-types-for 'script'",
  // One rule, which names the one worker that the page starts. None makes HTML or code of a text.
  "trusted-types koine-worker",
];

export const PAGE_HEADERS: Readonly<Record<string, string>> = {
  "content-security-policy": PAGE_POLICY.join("; "),
  "cross-origin-opener-policy": "same-origin",
  "permissions-policy": "camera=(), geolocation=(), microphone=(), payment=(), usb=()",
};
