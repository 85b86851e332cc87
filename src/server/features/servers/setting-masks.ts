import type { Problem } from "../../../lib/contract/problem";
import type { ServerSettings } from "../../../lib/contract/server";
import { SERVER_KINDS } from "../../../lib/contract/server-kind";
import { hasMask } from "../../../lib/masked-value";
import { findSettingSecrets, hideSettingSecrets, mapSettingTexts } from "../../../lib/server-settings/hide-secrets";
import { getOrigin } from "./server-secrets";

/** `[masked:…]` for a secret: the same for equal ones. */
export type MaskOf = (secret: string) => string;

/** The settings for users, programs and the audit log. */
export function maskSettings(settings: ServerSettings, getMask: MaskOf): ServerSettings {
  return hideSettingSecrets(settings, getMask);
}

/**
 * Submitted settings with the stored secrets in place of their masks. A secret of an address goes back into that address
 * alone, and only while it leads to the same origin: another one's owner could read it.
 * @param before the settings of the server that is edited; undefined for a new one
 */
export function restoreSettings(
  submitted: ServerSettings,
  before: ServerSettings | undefined,
  getMask: MaskOf,
): { settings: ServerSettings; problems: Problem[] } {
  const problems: Problem[] = [];
  const shown = before === undefined ? undefined : toTexts(maskSettings(before, getMask));
  const stored = before === undefined ? undefined : toTexts(before);
  const secrets = new Map(
    (before === undefined ? [] : findSettingSecrets(before)).map((secret) => [getMask(secret), secret]),
  );
  const isCommand = [submitted, before ?? submitted].every(
    ({ transport }) => SERVER_KINDS[transport].target === "command",
  );
  const restore = (text: string, path: string): string => {
    if (!hasMask(text)) return text;
    const was = stored?.get(path);
    const seen = shown?.get(path);
    const mayKeep = isCommand || text === seen || (was !== undefined && getOrigin(text) === getOrigin(was));
    const restored = mayKeep ? putBack(text, secrets, isCommand ? null : (seen ?? "")) : text;
    if (hasMask(restored)) problems.push({ path, message: "is masked: enter the value again" });
    return restored;
  };
  const args = (list: string[]): string[] => list.map((argument, at) => restore(argument, `args[${at}]`));
  return { settings: mapSettingTexts(submitted, { args, text: restore }), problems };
}

/** @param within limits masks to those of this text; null for any */
function putBack(text: string, secrets: ReadonlyMap<string, string>, within: string | null): string {
  let restored = text;
  for (const [mask, secret] of secrets) {
    if (within === null || within.includes(mask)) restored = restored.replaceAll(mask, () => secret);
  }
  return restored;
}

function toTexts(settings: ServerSettings): Map<string, string> {
  const texts = new Map<string, string>();
  mapSettingTexts(settings, {
    args: (args) => args,
    text(text, path) {
      texts.set(path, text);
      return text;
    },
  });
  return texts;
}
