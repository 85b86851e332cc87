/**
 * The policy for one response: nothing loads from other hosts, and a script needs the nonce or a parent script with it.
 * Development needs eval, inline styles and a socket for its overlay and reloads.
 */
export function contentSecurityPolicy(nonce: string, development: boolean): string {
  const scripts = `'self' 'nonce-${nonce}' 'strict-dynamic'${development ? " 'unsafe-eval'" : ""}`;
  const styles = development ? "'self' 'unsafe-inline'" : `'self' 'nonce-${nonce}'`;
  return [
    "default-src 'self'",
    `script-src ${scripts}`,
    `style-src ${styles}`,
    "img-src 'self' data: blob:",
    "media-src data: blob:",
    `connect-src 'self'${development ? " ws:" : ""}`,
    // MCP Apps: every other page of this server refuses to be framed.
    "frame-src 'self'",
    "object-src 'none'",
    "base-uri 'self'",
    "form-action 'self'",
    "frame-ancestors 'none'",
  ].join("; ");
}

type Headers = readonly (readonly [name: string, value: string])[];

/** For scripts, styles and fonts: the other headers say what documents may do. */
export const FILE_HEADERS: Headers = [
  ["x-content-type-options", "nosniff"],
  ["cross-origin-resource-policy", "same-origin"],
];

/** The headers of every other response. */
export const SECURITY_HEADERS: Headers = [
  ...FILE_HEADERS,
  ["x-frame-options", "DENY"],
  ["referrer-policy", "no-referrer"],
  ["cross-origin-opener-policy", "same-origin"],
  ["permissions-policy", "camera=(), microphone=(), geolocation=(), payment=(), usb=(), browsing-topics=()"],
];

/** For the frame of an App, whose response has a policy of its own and may stand in a page of this server. */
export const APP_FRAME_HEADERS: Headers = [
  ...FILE_HEADERS,
  ["x-frame-options", "SAMEORIGIN"],
  ["referrer-policy", "no-referrer"],
  ["x-dns-prefetch-control", "off"],
  [
    "permissions-policy",
    "camera=(), microphone=(), geolocation=(), clipboard-read=(), clipboard-write=(), payment=(), usb=(), serial=(), hid=(), display-capture=(), screen-wake-lock=(), browsing-topics=()",
  ],
];

/** 128 random bits in base64, fresh for each response. */
export function createNonce(): string {
  return btoa(String.fromCharCode(...crypto.getRandomValues(new Uint8Array(16))));
}
