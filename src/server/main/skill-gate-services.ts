import { systemClock } from "../create-tool-engine";
import { createSkillGateStore } from "../features/content/db/skill-gate-store";
import { createSkillGate } from "../features/content/gate/skill-gate";
import type { KnownServers } from "../features/servers/known-servers";
import { createEvent } from "../platform/shared/event";
import type { Foundation } from "./foundation";
import type { createConnections } from "./server-services";

export type SkillGateParts = ReturnType<typeof createSkillGateParts>;

interface SkillGateNeeds extends Pick<ReturnType<typeof createConnections>, "connections" | "connectionEvents"> {
  known: KnownServers;
}

/** The review of servers' skills, which the service of servers counts and the one of content serves. */
export function createSkillGateParts(
  { db, shared, live, logger }: Foundation,
  { connections, connectionEvents, known }: SkillGateNeeds,
) {
  /** At once, for what this instance serves to MCP clients. */
  const reviewed = createEvent<[server: string, uris: readonly string[]]>();
  const gate = createSkillGate({
    connections,
    settings: known.settings,
    store: createSkillGateStore(db),
    clock: systemClock,
    logger,
    onServed: (server, uris) => void reviewed.emit(server, uris),
    onWaiting: (server) => {
      // Pages read again only once all instances have it.
      const onShared = (): void => live.publish({ type: "servers", server });
      void shared.changed("skill gates", { detail: server, onShared });
    },
  });
  async function follow(server: string): Promise<void> {
    const uris = await gate.follow(server);
    if (uris !== null) await reviewed.emit(server, uris);
  }
  shared.follow("skill gates", async (server) => {
    for (const each of server === null ? known.names() : [server]) await follow(each);
  });
  known.changed.on((server) => void gate.followServer(server));
  connectionEvents.content.on((server, { type }, user) => {
    if (type === "opened" || type === "resources") void gate.followServer(server, user);
  });
  return { gate, reviewed };
}
