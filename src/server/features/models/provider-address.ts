/**
 * A provider's address for admins, events and logs: without user name, password, query or fragment, where users put
 * keys. Addresses of requests contain none of these.
 */
export function publicAddress(baseUrl: string): string {
  if (!URL.canParse(baseUrl)) return baseUrl.replace(/[?#].*$/s, "").replace(/\/\/[^/]*@/, "//");
  const url = new URL(baseUrl);
  if (url.username === "" && url.password === "" && !/[?#]/.test(baseUrl)) return baseUrl;
  url.username = "";
  url.password = "";
  url.search = "";
  url.hash = "";
  return url.href.replace(/\/+$/, "");
}
