/**
 * A provider's address as admins, events and logs may have it: without a user name, password, query or fragment, where
 * people put keys. Nothing of these is part of a request's address.
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
