import { createHash } from "node:crypto";
import { classifyCall, isCounted, isFailedClass } from "../../../lib/contract/call-class";
import type { LiveEvent } from "../../../lib/contract/live-event";
import type { WebhookDelivery, WebhookEvent } from "../../../lib/contract/webhook";
import type { StoredEvent } from "./webhook-store";

/** Something that webhooks may tell of. Arguments and results stay in Toolroom: a receiver reads them with a token. */
export interface Happening {
  event: WebhookEvent;
  /** The tool of a call. */
  tool?: string;
  /** Names the event: the instances of a server that notice the same one send it once. */
  identity: string;
  /** The same event that ended shortly before under this name, noticed later. */
  earlier?: string;
  data: Record<string, string | number | null>;
}

interface ServerView {
  status: string;
  reason: string | null;
  heldCount: number;
}

/** Within this time, instances that notice the same change of a server mean one event. */
const SAME_MS = 10_000;
const ID_CHARS = 24;
const ENDED_BADLY: ReadonlySet<string> = new Set(["failed", "interrupted"]);

/**
 * Turns live events into those that users subscribe to.
 * @param readServer returns a server's current state; null for one that is removed or disabled
 */
export function createHappenings(readServer: (name: string) => ServerView | null, now: () => number) {
  const known = new Map<string, ServerView>();

  function identify(what: string): Pick<Happening, "identity" | "earlier"> {
    const at = Math.floor(now() / SAME_MS);
    return { identity: `${what} ${at}`, earlier: `${what} ${at - 1}` };
  }

  function compareServer(name: string): Happening[] {
    const before = known.get(name);
    const view = readServer(name);
    if (view === null) known.delete(name);
    else known.set(name, view);
    if (before === undefined || view === null) return [];
    const { status, reason, heldCount } = view;
    const found: Happening[] = [];
    if (before.status === "connected" && (status === "failed" || status === "disconnected")) {
      found.push({ event: "server.disconnected", ...identify(name), data: { server: name, status, reason } });
    }
    if (heldCount > before.heldCount) {
      found.push({
        event: "change.held",
        ...identify(`${name} ${heldCount}`),
        data: { server: name, changes: heldCount },
      });
    }
    return found;
  }

  return (event: LiveEvent): readonly Happening[] => {
    if (event.type === "execution") {
      const { id, toolName: tool, status, source, errorKind = null } = event.execution;
      if (!isCounted(source)) return [];
      const data = { execution: id, tool, status, source };
      const identity = `${id} ${status}`;
      if (status === "waiting") return [{ event: "approval.requested", tool, identity, data }];
      if (!isFailedClass(classifyCall(event.execution))) return [];
      return [{ event: "execution.failed", tool, identity, data: { ...data, errorKind } }];
    }
    if (event.type === "suites") {
      const { run } = event;
      if (run === undefined || run.trigger !== "schedule" || !ENDED_BADLY.has(run.status)) return [];
      const { id, name, status, total, passed } = run;
      return [{ event: "suite.failed", identity: id, data: { testRun: id, suite: name, status, total, passed } }];
    }
    if (event.type === "run") {
      const { id, status, source } = event.run;
      return status === "failed" && isCounted(source)
        ? [{ event: "run.failed", ...identify(id), data: { run: id, status, source } }]
        : [];
    }
    return event.type === "servers" ? compareServer(event.server) : [];
  };
}

/** The id of an event's delivery, which instances of the server that notice the same event give it alike. */
export function identifyDelivery(webhookId: string, event: string, identity: string): string {
  const digest = createHash("sha256").update(JSON.stringify([webhookId, event, identity]));
  return `msg_${digest.digest("base64url").slice(0, ID_CHARS)}`;
}

export const toStoredEvent = ({ event, identity, earlier, tool, data }: Happening, createdAt: number): StoredEvent => ({
  event,
  identity,
  earlier: earlier ?? null,
  tool: tool ?? null,
  createdAt,
  data,
});

/** @param publicUrl the address of the console; null where none is known */
export function createDelivery(
  publicUrl: string | null,
  what: Pick<WebhookDelivery, "id" | "webhookId" | "event" | "createdAt"> & Pick<Happening, "data"> & { runAt: number },
): WebhookDelivery {
  const { id, webhookId, event, data, createdAt, runAt } = what;
  const link = publicUrl === null ? {} : { toolroom: publicUrl };
  return {
    id,
    webhookId,
    event,
    status: "pending",
    createdAt,
    attempts: 0,
    lastAt: null,
    nextAt: runAt,
    responseStatus: null,
    error: null,
    body: JSON.stringify({ type: event, timestamp: new Date(createdAt).toISOString(), data: { ...data, ...link } }),
  };
}
