import type { Actor } from "../../../lib/contract/actor";
import { AppError } from "../../platform/shared/app-error";
import type { ContentService } from "../content/content-service";
import { type AppContent, readAppContent } from "./app-document";

interface Ports {
  content: Pick<ContentService, "read" | "listNow" | "listen">;
  connectedAt: (server: string, actor: Actor) => number | null;
  newId: () => string;
}

const MAX_DOCUMENTS = 20;

/** The newest documents of Apps, each for a person and a connection, until the server says that its resources changed. */
export function createAppDocuments({ content, connectedAt, newId }: Ports) {
  const documents = new Map<string, { server: string; reading: Promise<AppContent> }>();
  content.listen((server, change) => {
    if (change.type !== "resources" && change.type !== "updated") return;
    for (const [key, document] of documents) if (document.server === server) documents.delete(key);
  });

  async function request(actor: Actor, server: string, uri: string): Promise<AppContent> {
    const envelope = await content.read(server, uri, { source: "console", actor, executionId: newId() });
    if (!envelope.success) {
      throw new AppError("UNAVAILABLE", `Couldn't read '${uri}' from ${server}: ${envelope.error}`);
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

/** The oldest goes once there are too many. */
export function keepNewest<Value>(map: Map<string, Value>, key: string, value: Value, max: number): void {
  const [oldest] = map.keys();
  if (map.size >= max && oldest !== undefined) map.delete(oldest);
  map.set(key, value);
}
