/** The scheme of URIs that several servers offer. */
const OWN = "toolroom://";
/** Hosts of MCP Apps render only addresses that begin with `ui://`, so the scheme stays. */
const UI = "ui://";
const OWN_UI = "ui://toolroom/";

/** Whether a URI, or the template of one, has the form of a mapped one. */
export function isMappedForm(uri: string): boolean {
  const start = uri.slice(0, OWN_UI.length).toLowerCase();
  return start.startsWith(OWN) || start.startsWith(OWN_UI);
}

/** A URI, or the template of one, that says which server it belongs to. `unmapUri` gives both back. */
export function mapUri(server: string, uri: string): string {
  const host = encodeURIComponent(server);
  return uri.startsWith(UI) ? `${OWN_UI}${host}/${uri.slice(UI.length)}` : `${OWN}${host}/${uri}`;
}

/** Null for a URI that is not a mapped one. */
export function unmapUri(mapped: string): { server: string; uri: string } | null {
  const isUi = mapped.startsWith(OWN_UI);
  if (!isUi && !mapped.startsWith(OWN)) return null;
  const rest = mapped.slice(isUi ? OWN_UI.length : OWN.length);
  const slash = rest.indexOf("/");
  if (slash < 1) return null;
  try {
    const server = decodeURIComponent(rest.slice(0, slash));
    const uri = (isUi ? UI : "") + rest.slice(slash + 1);
    return mapUri(server, uri) === mapped ? { server, uri } : null;
  } catch {
    return null;
  }
}
