interface WebAddress {
  href: string;
  /** The host as the browser requests it: international names in their ASCII form, so that look-alikes are visible. */
  host: string;
  encrypted: boolean;
  /** Whether the address has user information before an `@`: it can look like the host of another site. */
  hasCredentials: boolean;
}

/** An address that a link may lead to: `http` and `https` only. Null for everything else, `javascript:` first of all. */
export function parseWebAddress(text: string): WebAddress | null {
  if (!URL.canParse(text)) return null;
  const url = new URL(text);
  if (url.protocol !== "https:" && url.protocol !== "http:") return null;
  return {
    href: url.href,
    host: url.host,
    encrypted: url.protocol === "https:",
    hasCredentials: url.username !== "" || url.password !== "",
  };
}
