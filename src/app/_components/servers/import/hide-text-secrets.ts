import type { ServerSettingsInput } from "@/lib/contract/server";
import type { ServerImport } from "@/lib/contract/server-import";
import { isOnlyReferences } from "@/lib/server-settings/expand-variables";
import { hideAddressSecrets, hideSecretArguments, isSecret, SECRET_MASK } from "@/lib/server-settings/hide-secrets";

/** `"API_KEY": "value"`, `API_KEY=value`, `Authorization: value`; the value ends with its quote or its line. */
const NAMED_VALUE =
  /(["']?)([\w.-]{1,100})\1(\s{0,20}[:=]\s{0,20})(?:"((?:[^"\\\n]|\\.)*)"|'([^'\n]*)'|([^\s"',{}[\]]+))/g;

/** The text with what the servers that were found in it keep secret replaced, and what is named like a secret elsewhere. */
export function hideTextSecrets(text: string, { servers }: ServerImport): string {
  const pairs = servers.flatMap(({ settings }) => (settings === null ? [] : secretsOf(settings)));
  const forms = pairs.flatMap(([value, shown]) => [
    [value, shown],
    [JSON.stringify(value).slice(1, -1), shown],
  ]) as [string, string][];
  const longestFirst = forms.sort(([one], [other]) => other.length - one.length);
  const known = longestFirst.reduce((rest, [value, shown]) => replaceWhole(rest, value, shown), text);
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
    const [before = " ", after = " "] = [text[at - 1], text[at + value.length]];
    if (/\w/.test(before) || /\w/.test(after)) continue;
    result += text.slice(from, at) + shown;
    from = at + value.length;
  }
  return result + text.slice(from);
}

/** Shorter values stand in ordinary words and numbers. */
const MIN_CHARS = 4;

/** Each secret with what is shown for it. */
function secretsOf(settings: ServerSettingsInput): [string, string][] {
  const rows = settings.transport === "stdio" ? settings.env : settings.headers;
  const query = settings.transport === "openapi" ? (settings.query ?? []) : [];
  const values = [...(rows ?? []), ...query].map(({ value }) => value);
  const pairs: [string, string][] = [];
  if (settings.transport === "stdio") {
    const { args = [] } = settings;
    const shown = hideSecretArguments(args, SECRET_MASK);
    args.forEach((argument, at) => {
      pairs.push([argument, shown[at] ?? SECRET_MASK]);
    });
  } else {
    pairs.push([settings.url, hideAddressSecrets(settings.url, SECRET_MASK)]);
    const { auth } = settings;
    if (auth?.type === "private_key_jwt") values.push(auth.privateKey);
    else if (auth !== undefined && auth.type !== "none") values.push(auth.clientSecret ?? null);
  }
  for (const value of values) {
    if (value !== null && value.length >= MIN_CHARS && !isOnlyReferences(value)) pairs.push([value, SECRET_MASK]);
  }
  return pairs.filter(([value, shown]) => value !== shown);
}
