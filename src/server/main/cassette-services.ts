import type { Result } from "@modelcontextprotocol/server";
import type { CallEvents } from "../../lib/contract/call-event";
import { keepText, toJsonText } from "../../lib/json/known-text";
import type { ExecutionService } from "../calls/executions/execution-service";
import { EVERYONE } from "../calls/executions/readable-executions";
import { systemClock, type ToolEngine } from "../create-tool-engine";
import type { ExecutionEnd, ExecutionJournal, Logger } from "../engine/ports";
import { createCassettePlayer } from "../features/cassettes/cassette-player";
import { createCassetteService } from "../features/cassettes/cassette-service";
import type { CallEventStore } from "../features/cassettes/cassette-store";
import { createCallEventStore, createCassetteStore } from "../features/cassettes/db/cassette-store";
import { toCallResult, withoutServerInfo } from "../mcp/gateway/call-message";
import type { Foundation } from "./foundation";

interface CassetteParts {
  engine: Pick<ToolEngine, "registry">;
  executions: Pick<ExecutionService, "readsFor">;
}

/** Recorded calls that are served in place of their servers. */
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

/** The journal, which also keeps what happened during a call: before its end, so that who reads the end finds it. */
export function keepCallEvents(journal: ExecutionJournal, events: CallEventStore, logger: Logger): ExecutionJournal {
  const keep = async (id: string, happened: CallEvents): Promise<void> =>
    events.put(id, happened).catch((error: unknown) => {
      // The result is worth more than what led to it.
      logger.warn({ execution_id: id, error: String(error) }, "The events of a call could not be recorded");
    });
  return {
    begin: (start) => journal.begin(start),
    proceed: (start, proceeding) => journal.proceed(start, proceeding),
    record: (start, end) => journal.record(start, end),
    finish: (start, { events: happened, ...end }: ExecutionEnd) =>
      happened === undefined
        ? journal.finish(start, end)
        : keep(start.id, happened).then(() => journal.finish(start, end)),
  };
}
