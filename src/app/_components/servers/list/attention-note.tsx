import { NextTry } from "@/app/_components/servers/summary/next-try";
import type { ServerActions } from "@/app/_components/servers/summary/use-server-actions";
import { Button } from "@/app/_ui/button";
import type { ServerSummary } from "@/lib/contract/server";
import { formatPlural } from "@/lib/format";
import { needsAttention } from "@/lib/server-attention";

/** Why a server needs a user, with the way out beside it. Its text is the server's own: cut, never markup. */
export function AttentionNote({ server, actions }: { server: ServerSummary; actions: ServerActions }) {
  if (!needsAttention(server)) return null;
  const { status, reason, nextAttemptAt, attempts } = server.state;
  const signIn = status === "sign_in_needed";
  const busy = (signIn ? actions.busy.signingIn : actions.busy.reconnecting) === server.name;
  return (
    <div className="flex flex-wrap items-center gap-x-3 gap-y-1 text-xs">
      <p
        className="line-clamp-3 min-w-0 max-w-3xl whitespace-pre-wrap text-mute [overflow-wrap:anywhere]"
        title={reason ?? undefined}
      >
        {reason ?? (signIn ? "Sign in to call its tools." : "No reason given.")}
      </p>
      {status === "disconnected" && (
        <span className="whitespace-nowrap text-mute">
          <NextTry at={nextAttemptAt} />
          {attempts > 1 && ` · ${formatPlural(attempts, "attempt")}`}
        </span>
      )}
      {signIn ? (
        <Button needs="edit" disabled={busy} onClick={() => actions.signIn(server)}>
          {busy ? "Opening…" : "Sign in"}
          <span className="sr-only"> to {server.name}</span>
        </Button>
      ) : (
        <Button needs="edit" disabled={busy} onClick={() => actions.reconnect(server)}>
          {busy ? "Trying…" : "Try now"}
          <span className="sr-only"> to connect {server.name}</span>
        </Button>
      )}
    </div>
  );
}
