import type { LiveEvent } from "../../../lib/contract/live-event";
import type { WebhookEvent } from "../../../lib/contract/webhook";

/** Something that webhooks may tell of. Arguments and results stay in Toolroom: a receiver reads them with a token. */
export interface Happening {
  event: WebhookEvent;
  /** The tool of a call. */
  tool?: string;
  data: Record<string, string | number | null>;
}

interface ServerView {
  status: string;
  reason: string | null;
  heldCount: number;
}

const FAILED = new Set(["failed", "timed_out", "interrupted"]);

/**
 * Reads from live events what people want to be told of.
 * @param readServer a server as it is now; null for one that is gone or disabled
 */
export function createHappenings(readServer: (name: string) => ServerView | null) {
  const known = new Map<string, ServerView>();

  function compareServer(name: string): Happening[] {
    const before = known.get(name);
    const now = readServer(name);
    if (now === null) known.delete(name);
    else known.set(name, now);
    if (before === undefined || now === null) return [];
    const { status, reason, heldCount } = now;
    const found: Happening[] = [];
    if (before.status === "connected" && (status === "failed" || status === "disconnected")) {
      found.push({ event: "server.disconnected", data: { server: name, status, reason } });
    }
    if (heldCount > before.heldCount) {
      found.push({ event: "change.held", data: { server: name, changes: heldCount } });
    }
    return found;
  }

  return (event: LiveEvent): readonly Happening[] => {
    if (event.type === "execution") {
      const { id, toolName: tool, status, source } = event.execution;
      if (source === "check") return [];
      const data = { execution: id, tool, status, source };
      if (status === "waiting") return [{ event: "approval.requested", tool, data }];
      return FAILED.has(status) ? [{ event: "execution.failed", tool, data }] : [];
    }
    if (event.type === "run") {
      const { id, status, source } = event.run;
      return status === "failed" && source !== "check"
        ? [{ event: "run.failed", data: { run: id, status, source } }]
        : [];
    }
    return event.type === "servers" ? compareServer(event.server) : [];
  };
}
