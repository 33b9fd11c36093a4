// Security headers of the page: only its own scripts run, texts never become HTML, and it connects to this server only.
// Message contents cannot execute or send data elsewhere.

const PAGE_POLICY = [
  "default-src 'none'",
  "script-src 'self'",
  "worker-src 'self'",
  "style-src 'self'",
  // Media of messages are data URLs, or blobs fetched with the token.
  "img-src 'self' data: blob:",
  "media-src data: blob:",
  "font-src 'self'",
  "connect-src 'self'",
  "frame-src 'self'",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
  "require-trusted-types-for 'script'",
  // The only policy creates the page's worker URL; none creates HTML or code from text.
  "trusted-types koine-worker",
];

export const PAGE_HEADERS: Readonly<Record<string, string>> = {
  "content-security-policy": PAGE_POLICY.join("; "),
  "cross-origin-opener-policy": "same-origin",
  "permissions-policy": "camera=(), geolocation=(), microphone=(), payment=(), usb=()",
};
