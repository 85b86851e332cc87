/** A provider's address as its client wants it. */
export interface BaseAddress {
  /** Without a name and password, without slashes at its end. */
  url: string;
  /** With its port where it is not the usual one; what people read in messages. */
  host: string;
  /** A name and password of the address as the value of an `Authorization` header: requests to such addresses are refused. */
  authorization: string | null;
}

/** Takes `path` where the address has none. What is no address at all stays as it is, and its requests fail. */
export function baseAddress(baseUrl: string, path = ""): BaseAddress {
  if (!URL.canParse(baseUrl)) return { url: baseUrl, host: "the address of this provider", authorization: null };
  const url = new URL(baseUrl);
  const { username, password } = url;
  const named = username !== "" || password !== "";
  const pair = `${decoded(username)}:${decoded(password)}`;
  url.username = "";
  url.password = "";
  url.hash = "";
  url.search = "";
  if (url.pathname === "/") url.pathname = path;
  return {
    url: url.toString().replace(/\/+$/, ""),
    host: url.host,
    authorization: named ? `Basic ${Buffer.from(pair, "utf8").toString("base64")}` : null,
  };
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}
