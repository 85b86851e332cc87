import { readDomains } from "../../../lib/apps/app-policy";
import { APP_MIME_TYPE } from "../../../lib/apps/tool-app";
import type { AppDocument } from "../../../lib/contract/app";
import { isPlainObject } from "../../../lib/contract/json";
import { AppError } from "../../platform/shared/app-error";

const MAX_HTML_CHARS = 4_194_304;
const MAX_PERMISSIONS = 10;

export type AppContent = Pick<AppDocument, "html" | "domains" | "ignoredDomains" | "permissions">;

/**
 * Reads the answer to `resources/read` as an App.
 * @param listed the entry of the resource in its server's list: its `_meta` stands in where the answer has none
 * @throws AppError that says what the server has to change
 */
export async function readAppContent(
  uri: string,
  result: unknown,
  listed: () => Promise<Record<string, unknown> | undefined>,
): Promise<AppContent> {
  const contents = isPlainObject(result) && Array.isArray(result.contents) ? result.contents.filter(isPlainObject) : [];
  const content = contents.find((each) => each.uri === uri) ?? contents[0];
  if (content === undefined) throw unusable(uri, "is empty");
  if (normalType(content.mimeType) !== APP_MIME_TYPE) {
    throw unusable(uri, `has the type '${String(content.mimeType).slice(0, 100)}', not '${APP_MIME_TYPE}'`);
  }
  const html = readHtml(content);
  if (html === null) throw unusable(uri, "has no text");
  if (html.length > MAX_HTML_CHARS) throw unusable(uri, "is larger than 4 MiB");
  const ui = uiOf(content) ?? uiOf((await listed()) ?? {}) ?? {};
  const { domains, ignored: ignoredDomains } = readDomains(ui.csp);
  const permissions = isPlainObject(ui.permissions) ? Object.keys(ui.permissions) : [];
  return {
    html,
    domains,
    ignoredDomains,
    permissions: permissions.slice(0, MAX_PERMISSIONS).map((name) => name.slice(0, 50)),
  };
}

function unusable(uri: string, why: string): AppError {
  return new AppError(
    "UNAVAILABLE",
    `'${uri.slice(0, 300)}' ${why}. Its server has to change that; then reload the App`,
  );
}

const normalType = (type: unknown): string => String(type).toLowerCase().replace(/\s/g, "");

function uiOf({ _meta: meta }: Record<string, unknown>): Record<string, unknown> | null {
  return isPlainObject(meta) && isPlainObject(meta.ui) ? meta.ui : null;
}

function readHtml({ text, blob }: Record<string, unknown>): string | null {
  if (typeof text === "string") return text;
  return typeof blob === "string" ? Buffer.from(blob, "base64").toString("utf8") : null;
}
