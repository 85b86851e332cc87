import type { ServerSettingsInput } from "@/lib/contract/server";
import type { ServerImport } from "@/lib/contract/server-import";
import { isOnlyReferences } from "@/lib/server-settings/expand-variables";
import { hideAddressSecrets, hideSecretArguments, isSecret, SECRET_MASK } from "@/lib/server-settings/hide-secrets";
import { readFields } from "@/lib/server-settings/setting-fields";

/** `"API_KEY": "value"`, `API_KEY=value`, `Authorization: value`; the value ends with its quote or its line. */
const NAMED_VALUE =
  /(["']?)([\w.-]{1,100})\1(\s{0,20}[:=]\s{0,20})(?:"((?:[^"\\\n]|\\.)*)"|'([^'\n]*)'|([^\s"',{}[\]]+))/g;

/** An install link holds its server encoded, with its secrets. */
const LINK_CONFIG = /([?&]config=)[^\s"'<>)\]&]+/g;

/** The text with what the servers that were found in it keep secret replaced, and what is named like a secret elsewhere. */
export function hideTextSecrets(text: string, { servers }: ServerImport): string {
  const pairs = servers.flatMap(({ settings }) => (settings === null ? [] : listSecrets(settings)));
  const forms = pairs.flatMap(([value, shown]) => [
    [value, shown],
    [JSON.stringify(value).slice(1, -1), shown],
  ]) as [string, string][];
  const longestFirst = forms.sort(([one], [other]) => other.length - one.length);
  const plain = pairs.length === 0 ? text : text.replace(LINK_CONFIG, `$1${SECRET_MASK}`);
  const known = longestFirst.reduce((rest, [value, shown]) => replaceWhole(rest, value, shown), plain);
  return known.replace(NAMED_VALUE, (whole, quote: string, name: string, mark: string, ...values: unknown[]) => {
    const value = values.slice(0, 3).find((each) => typeof each === "string") as string | undefined;
    if (value === undefined || value.includes(SECRET_MASK) || !isSecret(name, value)) return whole;
    const around = values[0] !== undefined ? '"' : values[1] !== undefined ? "'" : "";
    return `${quote}${name}${quote}${mark}${around}${SECRET_MASK}${around}`;
  });
}

/** A value where it stands alone: a part of a longer word is another word. */
function replaceWhole(text: string, value: string, shown: string): string {
  let result = "";
  let from = 0;
  for (let at = text.indexOf(value); at !== -1; at = text.indexOf(value, at + value.length)) {
    const before = text[at - 1] ?? " ";
    const after = text[at + value.length] ?? " ";
    if (/\w/.test(before) || /\w/.test(after)) continue;
    result += text.slice(from, at) + shown;
    from = at + value.length;
  }
  return result + text.slice(from);
}

/** Shorter values occur in ordinary words and numbers. */
const MIN_CHARS = 4;

/** Each secret with the text that is shown in its place. */
function listSecrets(settings: ServerSettingsInput): [string, string][] {
  const pairs = readFields<[string, string]>(settings, {
    // A text may contain only the token, which became a header.
    values: (rows) =>
      rows.flatMap(({ value }) => [...toPair(value), ...toPair(/^Bearer (\S+)$/i.exec(value ?? "")?.[1])]),
    arguments(args) {
      const shown = hideSecretArguments(args, SECRET_MASK);
      return args.map((argument, at) => [argument, shown[at] ?? SECRET_MASK]);
    },
    address: (url) => [[url, hideAddressSecrets(url, SECRET_MASK)]],
    auth(auth) {
      if (auth.type === "private_key_jwt") return toPair(auth.privateKey);
      return "clientSecret" in auth ? toPair(auth.clientSecret) : [];
    },
  });
  return pairs.filter(([value, shown]) => value !== shown);
}

function toPair(value: string | null | undefined): [string, string][] {
  const isHidden = typeof value === "string" && value.length >= MIN_CHARS && !isOnlyReferences(value);
  return isHidden ? [[value, SECRET_MASK]] : [];
}
