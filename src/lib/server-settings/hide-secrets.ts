import type { ServerSettings } from "../contract/server";
import { hasMask, toMask } from "../masked-value";
import { isOnlyReferences } from "./expand-variables";
import { mapFields } from "./setting-fields";

/** The text in place of a hidden value. */
export const SECRET_MASK = "••••••";

/** The text in place of a secret: a fixed one, or one that is computed from the secret. */
type Mask = string | ((secret: string) => string);

/** Names of options, variables, headers and query parameters whose values are credentials. */
const SECRET_NAME =
  /(?:api|access|private|account|master|[-_]|^)key|token|secret|passw(?:or)?d|passphrase|credential|authorization|cookie|bearer|signature|(?<![a-z])(?:pwd|pass|auth|sig|pat)(?![a-z])/i;
/** Matches `sessionKey` and other names with any word before `Key`. */
const CAMEL_CASE_KEY = /[a-z]Key(?![A-Za-z])/;
/**
 * Names such as `AUTH_REGION`, `API_KEY_FILE` and `MAX_TOKENS`: their values describe a credential without being one.
 */
const DATA_NAME =
  /(?:^|[-_])(?:max|min|num|total)[-_]|[-_](?:file|path|dir|folder|host|port|region|zone|model|type|mode|method|user|username|email|version|format|algorithm|header|timeout|ttl|limit|count|size|enabled|required)$/i;
/** The beginnings of the keys of widespread services. */
const KNOWN_SECRET =
  /^(?:sk|pk|rk)[-_](?![a-z]{2}(?:[.@]|$))|^gh[a-z]_|^github_pat_|^glpat-|^xox[a-z]-|^AKIA|^AIza|^ya29\.|^eyJ[\w-]+\.|^Bearer\s|^Basic\s|^npm_|^hf_|^SG\.[\w-]{16,}\.|^(?:bot)?\d{6,12}:[\w-]{30,}$/i;
/** Values such as in `--max-tokens 500` and `--cookies true`, which are not secrets. */
const PLAIN_VALUE = /^(?:-?\d{1,6}|true|false)$/i;
const RANDOM_TEXT = /^(?=.*[0-9])(?=.*[A-Za-z])[A-Za-z0-9_+=-]{32,}$/;
/** 20 characters with capitals, small letters and digits mixed, and base64 with padding. */
const MIXED_TEXT = /^(?=.*[0-9])(?=.*[a-z])(?=.*[A-Z])[A-Za-z0-9]{20,}$|^[A-Za-z0-9+/]{30,}={1,2}$/;
/** Base64 without padding, with slashes; `isScrambled` tells it from a path. */
const SLASHED_TEXT = /^(?=.*[0-9])(?=.*[a-z])(?=.*[A-Z])[A-Za-z0-9+/]{30,}$/;
/** The value of `?code=`: what a provider or a function host gives out, not `200` or `en-US`. */
const CODE = /^(?=.*[0-9])(?=.*[A-Za-z])[\w+/=~-]{20,}$/;
/** `ada:password@host:5432` and `ada:password@tcp(host)`, without a scheme. */
const LOGIN = /^([^\s:/@]+:)([^\s@]+)(?=@(?:tcp|unix)\(|@[\w.-]+:\d{2,5}(?:[/?]|$))/;
/** Options whose value is `name:password`. */
const LOGIN_OPTION = /^(?:-u|--user|--proxy-user)$/;
/** Segments of an address that are long without being random: the words of a title, a commit. */
const PLAIN_SEGMENT = /^(?:[A-Za-z]+|\d{1,4})(?:[-_](?:[A-Za-z]+|\d{1,4}))*$|^[0-9a-f]{40}$/;
/** Programs read any slashes after these schemes, either way round, or none, as two. */
const WEB = "(?:https?|wss?|ftp):";
const SCHEME = String.raw`[a-z][a-z0-9+.-]{0,30}:\/\/`;
const ADDRESS_START = String.raw`(?:${WEB}(?:[\\/]+|(?=[^\s\\/?#]{1,200}@))|${SCHEME})`;
/** Separates two segments; `split` keeps it. */
const SLASH = /([\\/])/;
const ADDRESS = new RegExp(`^${ADDRESS_START}`, "i");
const ADDRESS_PARTS = new RegExp(String.raw`^(${WEB}[\\/]*|${SCHEME})([^/?#]*)([^?#;]*)(.*)$`, "is");
/** `-v`, `-j4`, `--sha-256` and `-Dmode=fast`, which are no values of the option before them. */
const OPTION = /^(?:-[a-z?]{0,3}\d{0,2}|--(?:[a-z]+\d{0,3}(?:-[a-z\d]{1,20})*)?|--?[a-z][\w.-]*[=:][^=].*)$/is;
/** `-port` too, where the option before it has one dash as well. */
const ONE_DASH_OPTION = /^--?(?:[a-z?]*\d{0,3}(?:-[a-z\d]{1,20})*|[a-z][\w.-]*[=:][^=].*)$/is;
const NAMED = /^([\w.-]{1,100}\s{0,20}[:=]\s{0,20}|-{1,2}[\w.-]{1,100}[:=]\s{0,20})(.+)$/s;
/** `--header=Authorization: Bearer x`: a name within the value of another one. */
const MAX_NESTING = 5;
/** Parts of a text, first match first: an address, `name=value` or `"name": "value"`, `--option value`, a word. */
const PARTS = new RegExp(
  String.raw`(${ADDRESS_START}[^\s"'\x60<>]+)|(["']?[\w.-]{1,100}["']?\s{0,5}[:=]\s{0,5})("(?:[^"\\]|\\.)*"|'[^']*'|[^\s"',;&{}[\]]+)|(--?[\w-]{1,100}\s{1,5})([^\s-]\S*)|([\w+.-]{8,})`,
  "gi",
);
/** Matches the values that `PARTS` splits: `--option -value`, and base64 with slashes. */
const WHOLE_VALUES = /(?<=(?<![^\s"'])(--?[\w-]{1,100})\s{1,5})-\S+|(?<![^\s"',;])[a-z0-9+/]{30,}(?![^\s"',;])/gi;

/**
 * The one rule for whether a value is a secret: its name says so, or it is of a known kind. Words that look like data
 * (a model, a region, a version, a date, an e-mail address), references to variables and masks are not secrets.
 */
export function isSecret(name: string, value: string): boolean {
  if (value === "" || isOnlyReferences(value) || PLAIN_VALUE.test(value) || hasMask(value)) return false;
  if (hasSecretName(name) || KNOWN_SECRET.test(value)) return true;
  return isScrambled(value) || MIXED_TEXT.test(value) || (RANDOM_TEXT.test(value) && !isWords(value));
}

const hasSecretName = (name: string): boolean =>
  (SECRET_NAME.test(name) || CAMEL_CASE_KEY.test(name)) && !DATA_NAME.test(name);

/**
 * Whether words make up at least half of a value: `claude-3-5-sonnet-20241022` and
 * `customer_orders_production_2026_eu`.
 */
function isWords(value: string): boolean {
  const parts = value.split(/[-_.+=]/);
  if (!parts.every((part) => /^(?:[A-Za-z]*|\d{1,8}|\w{1,5})$/.test(part))) return false;
  const word = value.includes("-") ? /^[A-Z]?[a-z]{3,}$/ : /^(?:[A-Z]?[a-z]{3,}|[A-Z]{3,})$/;
  const words = parts.filter((part) => word.test(part)).join("");
  return words.length * 2 >= parts.join("").length;
}

/** Capitals within words, and few letters in runs of small ones: a path has words, also where each begins with a capital. */
function isScrambled(value: string): boolean {
  if (!SLASHED_TEXT.test(value)) return false;
  const changes = value.match(/[A-Z](?=[a-z0-9])|[a-z0-9](?=[A-Z])/g) ?? [];
  const words = value.match(/[a-z]{3,}/g) ?? [];
  return changes.length * 5 >= value.length && words.join("").length * 3 < value.length;
}

/** A command's arguments with the values that look like secrets replaced; the names of options stay. */
export function hideSecretArguments(args: readonly string[], mask: Mask): string[] {
  return args.map((argument, at) => hideArgument(argument, args[at - 1] ?? "", mask, MAX_NESTING));
}

function hideArgument(argument: string, before: string, mask: Mask, levels: number): string {
  if (ADDRESS.test(argument)) return hideAddressSecrets(argument, mask);
  const login = LOGIN_OPTION.test(before) ? /^([^\s:]+:)(.+)$/s.exec(argument) : LOGIN.exec(argument);
  if (login !== null) return hideLogin(argument, login, mask);
  const option = before.startsWith("-") && !before.includes("=") ? before : "";
  const [, name = "", value = ""] = NAMED.exec(argument) ?? [];
  // `--cookie session=abc` and `--key Zm9v==`: the whole is the option's value.
  const isWhole = name === "" || !isOnlyReferences(value);
  if (isWhole && isValueOf(option, argument) && isSecret(option, argument)) return maskFor(mask, argument);
  if (name !== "" && levels > 0) {
    return name + (isSecret(name, value) ? maskFor(mask, value) : hideArgument(value, "", mask, levels - 1));
  }
  if (!argument.startsWith("-") && isSecret("", argument)) return maskFor(mask, argument);
  return hideInText(argument, mask);
}

/** Whether an argument is the value of an option that is named like a secret, and not the next option. */
function isValueOf(option: string, argument: string): boolean {
  if (!hasSecretName(option) || option.startsWith("--no-")) return false;
  return !argument.startsWith("-") || !(option.startsWith("--") ? OPTION : ONE_DASH_OPTION).test(argument);
}

function hideLogin(text: string, [, user = "", password = ""]: readonly string[], mask: Mask): string {
  const isShown = isOnlyReferences(password) || hasMask(password) || PLAIN_VALUE.test(password);
  return isShown ? text : user + maskFor(mask, password) + text.slice(user.length + password.length);
}

/** A command line, a connection string or JSON within one argument. */
function hideInText(text: string, mask: Mask): string {
  const hide = (name: string, value: string): string => {
    const quote = /^["']/.exec(value)?.[0] ?? "";
    const bare = quote === "" ? value : value.slice(1, -1);
    if (ADDRESS.test(bare)) return quote + hideAddressSecrets(bare, mask) + quote;
    return isSecret(name.replace(/["'\s]/g, ""), bare) ? quote + maskFor(mask, bare) + quote : value;
  };
  const parts = text.replace(WHOLE_VALUES, (whole: string, option: string | undefined) => {
    const isValue = option === undefined ? isSecret("", whole) : isValueOf(option, whole) && isSecret(option, whole);
    return isValue ? maskFor(mask, whole) : whole;
  });
  return parts.replace(PARTS, (whole, address, name, value, option, optionValue) => {
    if (address !== undefined) return hideAddressSecrets(address, mask);
    if (name !== undefined) return name + hide(name, value);
    return option !== undefined ? option + hide(option, optionValue) : hide("", whole);
  });
}

/** An address whose password and probable secrets in its path, query and fragment are replaced. */
export function hideAddressSecrets(address: string, mask: Mask): string {
  const hideNamed = (text: string): string =>
    text.replace(/([?&#;])([^=&#;]+)=([^&#;]*)/g, (whole, mark: string, name: string, value: string) => {
      const key = decode(name);
      const plain = decode(value);
      const isCode = /^code$/i.test(key) && CODE.test(plain);
      return isCode || isSecret(key, value) || isSecret("", plain) ? `${mark}${name}=${maskFor(mask, value)}` : whole;
    });
  const [, scheme = "", authority = "", path = "", rest = address] = ADDRESS_PARTS.exec(address) ?? [];
  const [, user = "", server = authority] = /^(.+)@(.*)$/s.exec(authority) ?? [];
  // `git@` is a common user name, not a secret.
  const isShown = user === "" || isOnlyReferences(user) || hasMask(user) || user === "git";
  const login = isShown ? authority.slice(0, authority.length - server.length) : `${maskFor(mask, user)}@`;
  // Web addresses may have backslashes for slashes, so that a path can begin in what looks like the host.
  const [host = "", ...first] = server.split(SLASH);
  const segments = path.split(SLASH);
  const hidden = [...first, ...segments].map((segment) => hideSegment(segment, mask));
  return scheme + login + host + hidden.join("") + hideNamed(rest);
}

function decode(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

function hideSegment(segment: string, mask: Mask): string {
  return !PLAIN_SEGMENT.test(segment) && isSecret("", segment) ? maskFor(mask, segment) : segment;
}

const maskFor = (mask: Mask, secret: string): string => (typeof mask === "string" ? mask : mask(secret));

interface SettingEdits {
  args: (args: string[]) => string[];
  /** @param path of the setting: `url` */
  text: (text: string, path: string) => string;
}

/** Settings with the texts changed that are stored as entered: command line, roots and addresses. */
export function mapSettingTexts(settings: ServerSettings, { args, text }: SettingEdits): ServerSettings {
  const roots = settings.roots.map((root, at) => ({ ...root, uri: text(root.uri, `roots[${at}].uri`) }));
  const mapped = mapFields(settings, {
    command: text,
    arguments: args,
    address: text,
    document: (source) => (source.from === "url" ? { ...source, url: text(source.url, "document.url") } : source),
    auth: (auth) =>
      "tokenUrl" in auth && auth.tokenUrl !== undefined
        ? { ...auth, tokenUrl: text(auth.tokenUrl, "auth.tokenUrl") }
        : auth,
  });
  return { ...mapped, roots };
}

/** The one rule for what is secret in a server's settings beside the values that are stored encrypted. */
export function hideSettingSecrets(settings: ServerSettings, mask: Mask): ServerSettings {
  return mapSettingTexts(settings, {
    args: (args) => hideSecretArguments(args, mask),
    text: (text, path) => (path === "command" ? hideArgument(text, "", mask, 1) : hideAddressSecrets(text, mask)),
  });
}

/** A mask after the secret, so that the following text does not count as another one. */
const FOUND = toMask("0".repeat(12));

export function findSettingSecrets(settings: ServerSettings): string[] {
  const found: string[] = [];
  hideSettingSecrets(settings, (secret) => {
    found.push(secret);
    return FOUND;
  });
  return found;
}

/**
 * The secrets in a value of a server's environment or headers: the whole value where its name or kind marks it as
 * secret; otherwise the password and the random parts of an address or a connection string.
 */
export function findValueSecrets(name: string, value: string): string[] {
  const isAddress = ADDRESS.test(value) && !/\s/.test(value);
  if (!isAddress && isSecret(name, value)) return [value];
  return findTextSecrets(value);
}

/** The secrets in a command line's argument, an address or a connection string. */
function findTextSecrets(text: string): string[] {
  const found: string[] = [];
  hideArgument(
    text,
    "",
    (secret) => {
      found.push(secret);
      return FOUND;
    },
    MAX_NESTING,
  );
  return found;
}
