import { ToolFailure } from "../../../engine/failures";
import type { ToolContext } from "../../../engine/ports";
import { capitalize } from "../session/describe-error";
import { needsLegacyProtocol } from "../session/protocol-evidence";
import type { ProtocolSession } from "../session/protocol-session";
import type { SessionOpener } from "../session/session-opener";
import type { ServerConnection } from "./server-connection";

interface Asked {
  connection: ServerConnection;
  opener: SessionOpener;
  session: ProtocolSession;
  /** The subject of the request, for users: "tool 'greet'". */
  what: string;
  /** Whether it may be sent again after it has run in part. */
  isRepeatable: boolean;
  context: ToolContext;
}

const REASON = "requested input, which protocol 2026-07-28 does not allow during a call";

/**
 * Runs a request. Where the server could not ask for input in the newer protocol, connects with the older one, which is remembered, and runs
 * the request again if it is repeatable: what it did before it asked must not happen twice.
 * @param readFailure the server's words about a request that failed; null for one that succeeded
 */
export async function withLegacyFallback<Result>(
  { connection, opener, session, what, isRepeatable, context }: Asked,
  request: (session: ProtocolSession) => Promise<Result>,
  readFailure: (result: Result) => string | null = () => null,
): Promise<Result> {
  const outcome = await request(session).then(
    (result) => ({ said: readFailure(result), end: () => result }),
    (error: Error) => ({
      said: error.message,
      end: (): never => {
        throw error;
      },
    }),
  );
  if (outcome.said === null || opener.knowsModernOnly || !needsLegacyProtocol(session, outcome.said))
    return outcome.end();
  await opener.useLegacyProtocol(session.settings);
  await connection.replace(session, `${capitalize(what)} needs the older protocol to ask for input`, context.signal);
  const next = await connection.requireSession(context.signal);
  // The server speaks the newer protocol only: its own words are the reason.
  if (next.modern) return outcome.end();
  if (isRepeatable) {
    context.logger.info(`${capitalize(what)} ${REASON}: called again with the older protocol`);
    return request(next);
  }
  const { name } = session.settings;
  throw new ToolFailure(
    "unavailable",
    `Server '${name}': ${what} ${REASON}. Toolroom now connects with the older protocol: call it again`,
  );
}
