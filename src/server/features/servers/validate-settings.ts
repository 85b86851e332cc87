import type { ServerSettings } from "../../../lib/contract/server";
import { keepableSecrets, type ServerSecrets, separateSecrets } from "./server-secrets";
import { describeMissingSecret, readSettings, toInvalidError } from "./server-settings";
import type { MaskOf } from "./setting-masks";

/**
 * @param before the server that is edited, whose secrets the candidate may keep; undefined for a new one
 * @throws AppError that lists every problem with its field
 */
export function validateSettings(
  candidate: unknown,
  before: Parameters<typeof keepableSecrets>[0] | undefined,
  maskOf: MaskOf,
): { settings: ServerSettings; secrets: ServerSecrets } {
  const read = readSettings(candidate, maskOf, before?.settings);
  if (read.settings === null) throw toInvalidError(read.problems);
  const stored = before === undefined ? {} : keepableSecrets(before, read.settings);
  const { settings, secrets, missing } = separateSecrets(read.settings, stored);
  if (missing.length > 0) throw toInvalidError(missing.map(describeMissingSecret));
  return { settings, secrets };
}
