import { readDomains } from "../../../lib/apps/app-policy";
import { APP_MIME_TYPE } from "../../../lib/apps/tool-app";
import type { Actor } from "../../../lib/contract/actor";
import type { AppDocument } from "../../../lib/contract/app";
import { isPlainObject } from "../../../lib/contract/json";
import { AppError } from "../../platform/shared/app-error";
import { toRefusalOfEnvelope } from "../../platform/shared/upstream-error";
import type { ContentService } from "../content/content-service";

interface Ports {
  content: Pick<ContentService, "read" | "listNow" | "listen">;
  connectedAt: (server: string, actor: Actor) => number | null;
  newId: () => string;
}

const MAX_DOCUMENTS = 20;

/** The newest documents of Apps, each for a user and a connection, until the server says that its resources changed. */
export function createAppDocuments({ content, connectedAt, newId }: Ports) {
  const documents = new Map<string, { server: string; reading: Promise<AppContent> }>();
  content.listen((server, change) => {
    if (change.type !== "resources" && change.type !== "updated") return;
    for (const [key, document] of documents) if (document.server === server) documents.delete(key);
  });

  async function request(actor: Actor, server: string, uri: string): Promise<AppContent> {
    const envelope = await content.read(server, uri, { source: "console", actor, executionId: newId() });
    if (!envelope.success) {
      throw toRefusalOfEnvelope({ ...envelope, error: `Couldn't read '${uri}' from ${server}: ${envelope.error}` });
    }
    return await readAppContent(uri, envelope.result, async () => {
      const listed = await content.listNow(server, "resources", actor).catch(() => []);
      return listed.find((entry) => entry.uri === uri);
    });
  }

  return {
    /** @throws AppError where the server does not answer, or answers with something else */
    read(actor: Actor, server: string, uri: string, fresh: boolean): Promise<AppContent> {
      const key = JSON.stringify([server, uri, actor.id, connectedAt(server, actor)]);
      const kept = fresh ? undefined : documents.get(key);
      if (kept !== undefined) return kept.reading;
      const document = { server, reading: request(actor, server, uri) };
      keepNewest(documents, key, document, MAX_DOCUMENTS);
      document.reading.catch(() => documents.delete(key));
      return document.reading;
    },
  };
}

/** Drops the oldest entry once there are too many. */
export function keepNewest<Value>(map: Map<string, Value>, key: string, value: Value, max: number): void {
  const [oldest] = map.keys();
  if (map.size >= max && oldest !== undefined) map.delete(oldest);
  map.set(key, value);
}

const MAX_HTML_CHARS = 4_194_304;
const MAX_PERMISSIONS = 10;

type AppContent = Pick<AppDocument, "html" | "domains" | "ignoredDomains" | "permissions">;

/**
 * Reads the answer to `resources/read` as an App.
 * @param listed the entry of the resource in its server's list: its `_meta` stands in where the answer has none
 * @throws AppError that says what the server has to change
 */
async function readAppContent(
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
  const ui = readUi(content) ?? readUi((await listed()) ?? {}) ?? {};
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
  return new AppError("CONFLICT", `'${uri.slice(0, 300)}' ${why}. Its server has to change that; then reload the App`);
}

const normalType = (type: unknown): string => String(type).toLowerCase().replace(/\s/g, "");

function readUi({ _meta: meta }: Record<string, unknown>): Record<string, unknown> | null {
  return isPlainObject(meta) && isPlainObject(meta.ui) ? meta.ui : null;
}

function readHtml({ text, blob }: Record<string, unknown>): string | null {
  if (typeof text === "string") return text;
  return typeof blob === "string" ? Buffer.from(blob, "base64").toString("utf8") : null;
}
