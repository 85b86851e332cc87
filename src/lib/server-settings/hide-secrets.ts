import { isOnlyReferences } from "./expand-variables";

/** What stands for a hidden value. */
export const SECRET_MASK = "••••••";

/** Names of options, variables, headers and query parameters whose values are credentials. */
const SECRET_NAME =
  /(?:api|access|private|[-_]|^)key|token|secret|passw(?:or)?d|passphrase|credential|authorization|\bauth\b|cookie|bearer|signature|\bsig\b|\bpat\b/i;
/** The beginnings of the keys of widespread services. */
const KNOWN_SECRET =
  /^(?:sk|pk|rk)[-_]|^gh[a-z]_|^github_pat_|^glpat-|^xox[a-z]-|^AKIA|^AIza|^ya29\.|^eyJ[\w-]+\.|^Bearer\s|^Basic\s|^npm_|^hf_/i;
/** `--max-tokens 500` and `--cookies true` are no secrets. */
const PLAIN_VALUE = /^(?:\d{1,6}|true|false)$/i;
const RANDOM_TEXT = /^(?=.*[0-9])(?=.*[A-Za-z])[A-Za-z0-9_+=-]{32,}$/;

/** Whether a value under this name looks like a credential. References to variables do not. */
export function isSecret(name: string, value: string): boolean {
  if (value === "" || isOnlyReferences(value) || PLAIN_VALUE.test(value)) return false;
  return SECRET_NAME.test(name) || KNOWN_SECRET.test(value) || RANDOM_TEXT.test(value);
}

/** A command's arguments with the values that look like secrets replaced; the names of options stay. */
export function hideSecretArguments(args: readonly string[], mask: string): string[] {
  return args.map((argument, at) => {
    if (/^[a-z][a-z0-9+.-]*:\/\//i.test(argument)) return hideAddressSecrets(argument, mask);
    const option = args[at - 1] ?? "";
    const named = /^([\w.-]+\s*[:=]\s*|-{1,2}[\w.-]+[:=]\s*)(.+)$/s.exec(argument);
    if (named !== null) {
      const [, name = "", value = ""] = named;
      return isSecret(name, value) ? name + mask : argument;
    }
    const optionName = option.startsWith("-") && !option.includes("=") ? option : "";
    return !argument.startsWith("-") && isSecret(optionName, argument) ? mask : argument;
  });
}

/** An address with its password and the query values that look like secrets replaced. */
export function hideAddressSecrets(address: string, mask: string): string {
  return address
    .replace(/^([a-z][a-z0-9+.-]*:\/\/)([^/?#@]+)@/i, (whole, scheme: string, user: string) =>
      isOnlyReferences(user) ? whole : `${scheme}${mask}@`,
    )
    .replace(/([?&])([^=&#]+)=([^&#]*)/g, (whole, mark: string, name: string, value: string) =>
      isSecret(name, value) ? `${mark}${name}=${mask}` : whole,
    );
}
