import type { ApiOutline } from "../../../lib/contract/api-document";
import { isPlainObject } from "../../../lib/contract/json";
import { messageOf } from "../../../lib/message-of";
import type { ApiDocuments, ConnectionSettings } from "../../engine/mcp-ports";
import { AppError } from "../../platform/shared/app-error";
import type { KnownServer } from "./server-directory";
import { keepableSecrets, separateSecrets } from "./server-secrets";
import { readSettings, toConnectionSettings, toInvalidError } from "./server-settings";
import type { MaskOf } from "./setting-masks";

/** Stands for a base URL that has not been entered: the document says which. */
const NO_BASE = "https://api.invalid";

/**
 * What the document of unfinished settings says of itself. Credentials are used once the settings are valid otherwise.
 * @param before the server that is edited
 */
export async function describeDocument(
  candidate: unknown,
  before: KnownServer | undefined,
  { documents, maskOf }: { documents: ApiDocuments; maskOf: MaskOf },
): Promise<ApiOutline> {
  const entered: Record<string, unknown> = isPlainObject(candidate) ? candidate : {};
  const { document, headers, query, auth } = entered;
  const url = typeof entered.url === "string" && entered.url !== "" ? entered.url : NO_BASE;
  const least = { name: "api", transport: "openapi", url: NO_BASE, document };
  const whole = readSettings({ ...least, url, headers, query, auth }, maskOf, before?.settings);
  const { settings, problems } = whole.settings === null ? readSettings(least, maskOf, before?.settings) : whole;
  if (settings === null) throw toInvalidError(problems);
  const stored = before === undefined ? {} : keepableSecrets(before, { ...entered, url });
  const { secrets, missing, settings: shown } = separateSecrets(settings, stored);
  if (missing.includes("document.text")) {
    throw toInvalidError([{ path: "document.text", message: "is required: paste the document" }]);
  }
  const connection = toConnectionSettings(shown, secrets, true);
  try {
    return await documents.outline(connection as Extract<ConnectionSettings, { transport: "openapi" }>);
  } catch (error) {
    throw new AppError("UNAVAILABLE", messageOf(error));
  }
}
