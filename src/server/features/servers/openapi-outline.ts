import type { ApiOutline } from "../../../lib/contract/api-document";
import { isPlainObject } from "../../../lib/contract/json";
import { getMessage } from "../../../lib/get-message";
import type { ApiConnectionSettings, ApiDocuments } from "../../engine/mcp-ports";
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
  { documents, getMask }: { documents: ApiDocuments; getMask: MaskOf },
): Promise<ApiOutline> {
  const entered: Record<string, unknown> = isPlainObject(candidate) ? candidate : {};
  const { document, headers, query, auth } = entered;
  const url = typeof entered.url === "string" && entered.url !== "" ? entered.url : NO_BASE;
  const least = { name: "api", transport: "openapi", url: NO_BASE, document };
  const whole = readSettings({ ...least, url, headers, query, auth }, getMask, before?.settings);
  const { settings, problems } = whole.settings === null ? readSettings(least, getMask, before?.settings) : whole;
  if (settings === null) throw toInvalidError(problems);
  const stored = before === undefined ? {} : keepableSecrets(before, { ...entered, url });
  const { secrets, missing, settings: shown } = separateSecrets(settings, stored);
  if (missing.includes("document.text")) {
    throw toInvalidError([{ path: "document.text", message: "is required: paste the document" }]);
  }
  const connection = toConnectionSettings(shown, secrets, true);
  try {
    return await documents.outline(connection as ApiConnectionSettings);
  } catch (error) {
    // A document that the request names cannot be read: waiting does not help.
    throw toInvalidError([{ path: "document", message: getMessage(error) }]);
  }
}
