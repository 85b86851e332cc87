import { formatBytes } from "./format/bytes";

const TLS = /^(?:CERT_|UNABLE_TO_|DEPTH_ZERO_|SELF_SIGNED_|ERR_TLS_|HOSTNAME_MISMATCH)/;
/** Certificate errors that another authority does not fix. */
const OTHER_TLS: Readonly<Record<string, string>> = {
  CERT_HAS_EXPIRED: "has expired",
  CERT_NOT_YET_VALID: "is not valid yet: is a clock wrong?",
  ERR_TLS_CERT_ALTNAME_INVALID: "is for another host name",
  HOSTNAME_MISMATCH: "is for another host name",
};

/** Why Node does not trust a certificate, and the way out; null for any other code. */
export function describeTlsCode(code: string): string | null {
  if (!TLS.test(code)) return null;
  const reason = OTHER_TLS[code];
  if (reason !== undefined) return `its TLS certificate ${reason} (${code})`;
  return `its TLS certificate is not trusted (${code}): add the authority's certificate with NODE_EXTRA_CA_CERTS`;
}

interface ProxyAnswer {
  status: number;
  body: string;
  /** The value of the `Server` header. */
  server?: string | null | undefined;
  /** The size of the request that was answered, where it had a body. */
  requestBytes?: number | undefined;
}

const REASONS: Readonly<Record<number, string>> = {
  502: "it gets no answer from what is behind it",
  503: "nothing behind it takes requests now",
  504: "the answer took longer than its time limit",
  520: "it gets no answer from what is behind it",
  521: "nothing listens behind it",
  522: "what is behind it did not answer in time",
  523: "it cannot reach what is behind it",
  524: "the answer took longer than its time limit",
};

/** A proxy's own error page, as `a proxy (nginx) answered 504: …`; null for an answer that is no page. */
export function describeProxyPage({ status, body, server, requestBytes }: ProxyAnswer): string | null {
  if (!isPage(body)) return null;
  const name =
    /^[\w.-]{1,40}/.exec(server ?? "")?.[0] ?? /\b(nginx|openresty|Apache|cloudflare|Varnish)\b/i.exec(body)?.[0];
  const size = requestBytes === undefined ? "" : ` of ${formatBytes(requestBytes)}`;
  const reason = status === 413 ? `its limit is smaller than this request${size}` : REASONS[status];
  return `a proxy${name === undefined ? "" : ` (${name})`} answered ${status}${reason === undefined ? " with a page of its own" : `: ${reason}`}`;
}

/** Whether a body is a web page, which no API answers with. */
export const isPage = (body: string): boolean => /^\s*<(?:!doctype|html|head|title|center|\?xml)/i.test(body);

/** Statuses with which a proxy reports that the fate of a request is unknown. */
export const isProxyStatus = (status: number): boolean => Object.hasOwn(REASONS, status);
