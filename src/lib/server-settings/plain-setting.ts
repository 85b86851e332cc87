import { isSecret } from "./hide-secrets";

/** A word or two: `production`, `eu-west-1`, `application/json`, `utf-8`. */
const WORDS = /^(?=.{1,24}$)[a-z]+(?:[-_ ./][a-z]+|[-_ .]\d{1,2})*$/i;
const PATH = /^(?:~|\.{1,2})?[/\\]|^[A-Za-z]:[/\\]/;
const NUMBER = /^[\d.,:+-]{1,8}$/;
/** A part of an address that nobody can guess. */
const RANDOM_PART = /(?=[^/]*\d)(?=[^/]*[A-Za-z])[\w-]{16,}/;

/**
 * Whether a value of a server's environment or headers is no secret by its form and name: such values occur in ordinary
 * results, and hiding them would make those unreadable.
 */
export function isPlainSetting(name: string, value: string): boolean {
  if (isSecret(name, value)) return false;
  return WORDS.test(value) || NUMBER.test(value) || PATH.test(value) || isPlainAddress(value);
}

function isPlainAddress(value: string): boolean {
  if (/^(?:localhost|[\w.-]+\.[a-z]{2,}|[\d.]+)(?::\d{1,5})?$/i.test(value)) return true;
  if (!/^[a-z][a-z\d+.-]*:\/\//i.test(value) || !URL.canParse(value)) return false;
  const { username, password, search, pathname } = new URL(value);
  return username === "" && password === "" && search === "" && !RANDOM_PART.test(pathname);
}
