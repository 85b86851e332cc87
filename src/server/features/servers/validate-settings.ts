import type { ServerSettings } from "../../../lib/contract";
import { type ServerSecrets, separateSecrets } from "./server-secrets";
import { describeMissingSecret, readSettings, toInvalidError } from "./server-settings";

/**
 * @param stored the secrets that the candidate may keep
 * @throws AppError that lists every problem with its field
 */
export function validateSettings(
  candidate: unknown,
  stored: ServerSecrets,
): { settings: ServerSettings; secrets: ServerSecrets } {
  const read = readSettings(candidate);
  if (read.settings === null) throw toInvalidError(read.problems);
  const { settings, secrets, missing } = separateSecrets(read.settings, stored);
  if (missing.length > 0) throw toInvalidError(missing.map(describeMissingSecret));
  return { settings, secrets };
}
