import type { Vendor } from "./vendor";

/** A provider's address, split for its client. */
export interface BaseAddress {
  /** Without a name and password, without slashes at its end. */
  url: string;
  /** For messages; with its port unless it is the default one. */
  host: string;
  /** The name and password of the address as an `Authorization` header: `fetch` refuses addresses that contain them. */
  authorization: string | null;
  /** Parts of the address that messages must not repeat. */
  secrets: readonly string[];
}

/**
 * Removes the end that matches `pastedPath`, and adds `path` to an address without one. Text that is no address is kept as
 * it is, and its requests fail.
 */
export function parseBaseAddress(
  baseUrl: string,
  { path = "", pastedPath }: Pick<Vendor, "path" | "pastedPath">,
): BaseAddress {
  if (!URL.canParse(baseUrl)) {
    const secrets = [/\/\/([^/]*)@/.exec(baseUrl)?.[1], /[?#](.*)$/s.exec(baseUrl)?.[1]];
    return {
      url: baseUrl,
      host: "the address of this provider",
      authorization: null,
      secrets: secrets.filter((secret) => secret !== undefined),
    };
  }
  const url = new URL(baseUrl);
  const { username, password } = url;
  const hasLogin = username !== "" || password !== "";
  const pair = `${decode(username)}:${decode(password)}`;
  const authorization = hasLogin ? `Basic ${Buffer.from(pair, "utf8").toString("base64")}` : null;
  const parameters = [...url.searchParams.values(), url.search.slice(1), url.hash.slice(1)];
  const secrets = [password, decode(password), hasLogin ? pair : "", authorization ?? "", ...parameters];
  url.username = "";
  url.password = "";
  url.hash = "";
  url.search = "";
  const ownPath = url.pathname.replace(/\/+$/, "");
  url.pathname = (pastedPath === undefined ? ownPath : ownPath.replace(pastedPath, "")) || path;
  return {
    url: url.toString().replace(/\/+$/, ""),
    host: url.host,
    authorization,
    secrets: secrets.filter((secret) => secret !== ""),
  };
}

function decode(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}
