// Defines the security headers of the page. Only the page's own scripts run, text is never parsed as HTML, and the page
// connects to this server only. The content of a message can therefore neither run code nor send data to another
// server.

const PAGE_POLICY = [
  "default-src 'none'",
  "script-src 'self'",
  "worker-src 'self'",
  "style-src 'self'",
  // Media in messages have data: URLs, or blob: URLs of data that the page fetched with the token.
  "img-src 'self' data: blob:",
  "media-src data: blob:",
  "font-src 'self'",
  "connect-src 'self'",
  "frame-src 'self'",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
  "require-trusted-types-for 'script'",
  // The only Trusted Types policy creates the URL of the page's worker; no policy creates HTML or code from text.
  "trusted-types koine-worker",
];

export const PAGE_HEADERS: Readonly<Record<string, string>> = {
  "content-security-policy": PAGE_POLICY.join("; "),
  "cross-origin-opener-policy": "same-origin",
  "permissions-policy": "camera=(), geolocation=(), microphone=(), payment=(), usb=()",
};
