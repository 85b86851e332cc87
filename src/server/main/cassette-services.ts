import type { Result } from "@modelcontextprotocol/server";
import { keepText, toJsonText } from "../../lib/json/known-text";
import type { ExecutionService } from "../calls/executions/execution-service";
import { EVERYONE } from "../calls/executions/readable-executions";
import { findReceived } from "../calls/executions/received-result";
import { systemClock } from "../create-tool-engine";
import { createCassettePlayer } from "../features/cassettes/cassette-player";
import { createCassetteService } from "../features/cassettes/cassette-service";
import { createCallEventStore, createCassetteStore } from "../features/cassettes/db/cassette-store";
import { toCallResult, withoutServerInfo } from "../mcp/gateway/call-message";
import type { ServerParts } from "./catalog-services";
import type { Foundation } from "./foundation";

interface CassetteParts {
  engine: Pick<ServerParts, "registry" | "redactor">;
  executions: Pick<ExecutionService, "readsFor">;
}

/** Recorded calls that are served instead of their servers. */
export function createCassettes({ db, live, masking }: Foundation, parts: CassetteParts) {
  const store = createCassetteStore({ db, clock: systemClock });
  const { executions, engine } = parts;
  const onChange = (): void => live.publish({ type: "cassettes" });
  return {
    cassettes: createCassetteService({
      store,
      executions: executions.readsFor(EVERYONE),
      onChange,
      events: createCallEventStore(db),
      tools: () => engine.registry.list(),
      toAnswer: { ofEnvelope: toCallResult, ofResult: toServedText },
      toReceived: async (stored) => ({ ...stored, ...(await findReceived(stored, engine.redactor)) }),
    }),
    cassettePlayer: createCassettePlayer({
      find: store.find,
      lines: store.lines,
      sessions: store,
      masking,
      onPlay: onChange,
    }),
  };
}

/** A client does not receive the identity of the server. */
function toServedText(text: string): string {
  const result = JSON.parse(text) as Result;
  keepText(result, text);
  return toJsonText(withoutServerInfo(result)) ?? text;
}
