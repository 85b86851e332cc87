const MAX_CHARS = 2000;
/** The hosts of RFC 8252, section 7.3, in every port. Other spellings of loopback may be read in another way elsewhere. */
const LOOPBACK_HOST = /^http:\/\/(?:localhost|127\.0\.0\.1|\[::1\])(?::\d{1,5})?(?:[/?]|$)/i;
const PRIVATE_LOOPBACK = /^(?:localhost|.*\.localhost|127\..*|\[::1\]|\[::ffff:7f.*\]|0\.0\.0\.0|\[::\])$/;
/** RFC 8252, section 7.1: a domain name in reverse order. */
const REVERSE_DOMAIN = /^[a-z][a-z0-9-]*(?:\.[a-z0-9](?:[a-z0-9-]*[a-z0-9])?)+$/;
const SCHEME = /^[a-z][a-z0-9+.-]*$/;
/** Visible ASCII without what RFC 3986 forbids or what is read in two ways. */
const PLAIN = /^[\x21-\x7e]+$/;
const UNSAFE = /[\\"<>^`{|}*#]|%(?:[01][0-9a-f]|7f|5c|$|.$|[^0-9a-f]|[0-9a-f][^0-9a-f])/i;

/** The schemes of desktop programs that register none of their own domain. */
const DESKTOP_SCHEMES: ReadonlySet<string> = new Set([
  "antigravity",
  "claude",
  "code-oss",
  "cursor",
  "cursor-nightly",
  "goose",
  "jetbrains",
  "kiro",
  "lmstudio",
  "positron",
  "raycast",
  "trae",
  "vscode",
  "vscode-insiders",
  "vscodium",
  "void",
  "warp",
  "windsurf",
  "windsurf-next",
  "zed",
]);

/** Schemes that a browser or an operating system gives a meaning of its own. */
const DENIED_SCHEMES: ReadonlySet<string> = new Set([
  ...listWords("about blob cid data file filesystem ftp ftps http https intent jar javascript mailto mhtml mid mk"),
  ...listWords("resource sftp sms smsto tel vbscript view-source ws wss wyciwyg chrome chrome-extension devtools edge"),
  ...listWords("moz-extension safari-web-extension opera brave android-app itms itms-apps itms-services market shell"),
  ...listWords(
    "afp cifs dav davs gopher ldap ldaps nfs nntp news irc ircs rdp rtsp sip sips smb ssh telnet vnc webdav",
  ),
  ...listWords("res hcp help search search-ms x-apple.systempreferences prefs app-settings urn webcal feed magnet"),
]);
/** The beginnings of more of them: programs of Windows open what these name. */
const DENIED_FAMILIES = ["ms-", "web+", "ext+", "chrome-", "x-apple"];

function listWords(text: string): string[] {
  return text.split(" ");
}

function isDenied(scheme: string): boolean {
  return DENIED_SCHEMES.has(scheme) || DENIED_FAMILIES.some((start) => scheme.startsWith(start));
}

/** The scheme of an address that a program of the user's machine registered for itself; null for http and https. */
export function readPrivateScheme(uri: string): string | null {
  const scheme = new URL(uri).protocol.slice(0, -1);
  return scheme === "http" || scheme === "https" ? null : scheme;
}

/**
 * Reads the schemes that an installation allows beside the known ones.
 * @throws Error that names the scheme that cannot be allowed
 */
export function readAllowedSchemes(list: string | null): string[] {
  const schemes = (list ?? "").split(",").flatMap((entry) => entry.trim() || []);
  for (const scheme of schemes) {
    if (!SCHEME.test(scheme)) {
      throw new Error(`'${scheme}' is no scheme: list names in lower case without a colon, such as myeditor`);
    }
    if (isDenied(scheme))
      throw new Error(`'${scheme}' cannot be allowed: browsers or operating systems use it themselves`);
  }
  return schemes;
}

/**
 * The reason why the answer to a sign-in may not go to this address; null where it may. Accepted are https, http on
 * loopback, and private-use schemes (RFC 8252, section 7): reversed domain names, known programs, and `allowed` ones.
 */
export function findRedirectFault(uri: unknown, allowed: readonly string[]): string | null {
  if (typeof uri !== "string") return "must be a text";
  if (uri.length > MAX_CHARS) return `must have at most ${MAX_CHARS} characters`;
  if (!PLAIN.test(uri)) return "must consist of visible ASCII characters, others percent-encoded";
  if (uri.includes("#")) return "must not have a fragment";
  if (uri.includes("*")) return "must not have a wildcard: register each address";
  if (UNSAFE.test(uri)) return "has a character or a percent-encoding that is not valid in an address";
  if (!URL.canParse(uri)) return "must be an absolute address";
  const url = new URL(uri);
  if (url.username !== "" || url.password !== "" || /^[^/?]*:\/\/[^/?]*@/.test(uri))
    return "must not have a user name or password";
  const scheme = url.protocol.slice(0, -1);
  if (scheme === "https") return findHttpsFault(uri, url);
  if (scheme === "http") {
    return LOOPBACK_HOST.test(uri) ? null : "may use http only at localhost, 127.0.0.1 or [::1]; use https elsewhere";
  }
  if (isDenied(scheme)) return `must not use the scheme ${scheme}:`;
  return findPrivateFault(uri, scheme, allowed);
}

function findHttpsFault(uri: string, { hostname }: URL): string | null {
  if (!/^https:\/\/[^/]/i.test(uri)) return "must begin with https:// and a host";
  return PRIVATE_LOOPBACK.test(hostname) ? "must use http at an address of this machine" : null;
}

function findPrivateFault(uri: string, scheme: string, allowed: readonly string[]): string | null {
  if (!uri.startsWith(`${scheme}:`)) return "must have its scheme in lower case";
  if (!uri.startsWith(`${scheme}:/`) || /^[^:]*:\/\/(?:[/?]|$)/.test(uri)) {
    return `must continue with a path or a host: ${scheme}:/path or ${scheme}://host/path`;
  }
  if (REVERSE_DOMAIN.test(scheme) || DESKTOP_SCHEMES.has(scheme) || allowed.includes(scheme)) return null;
  return `has the scheme ${scheme}:, which is not known here. Use a reversed domain name, such as com.example.app:/callback, or ask an admin to list the scheme in TOOLROOM_OAUTH_SCHEMES`;
}
