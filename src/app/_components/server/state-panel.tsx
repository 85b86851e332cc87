"use client";

import { NextTry } from "@/app/_components/servers/next-try";
import { STATUS_WORDS } from "@/app/_components/servers/server-words";
import type { ServerActions } from "@/app/_components/servers/use-server-actions";
import { Alert } from "@/app/_ui/alert";
import { Button } from "@/app/_ui/button";
import type { ConnectionStatus, ServerDetail } from "@/lib/contract/server";
import { formatPlural } from "@/lib/format";

export interface StatePanelProps {
  server: ServerDetail;
  actions: ServerActions;
  onLog: () => void;
}

const TONE: Record<ConnectionStatus, "warn" | "bad" | "accent"> = {
  connected: "accent",
  connecting: "accent",
  disabled: "accent",
  disconnected: "warn",
  sign_in_needed: "warn",
  failed: "bad",
};

/** Why it is not connected and what to do about it; nothing while all is well. */
export function StatePanel({ server, actions, onLog }: StatePanelProps) {
  const { status, reason, nextAttemptAt, attempts } = server.state;
  if (status === "connected" || (status === "connecting" && reason === null)) return null;
  const reconnecting = actions.busy.reconnecting === server.name;
  return (
    <section aria-label="State of the connection" data-status={status}>
      <Alert tone={TONE[status]} title={titleOf(server)}>
        {reason !== null && (
          <p className="max-h-40 overflow-auto whitespace-pre-wrap [overflow-wrap:anywhere]">{reason}</p>
        )}
        {status === "disconnected" && (
          <p className="text-mute">
            <NextTry at={nextAttemptAt} />
            {attempts > 0 && ` · ${formatPlural(attempts, "attempt")} since it last worked`}
          </p>
        )}
        <div className="mt-1.5 flex flex-wrap gap-2 empty:hidden">
          {status === "sign_in_needed" && (
            <Button
              variant="primary"
              disabled={actions.busy.signingIn === server.name}
              onClick={() => actions.signIn(server)}
            >
              {actions.busy.signingIn === server.name ? "Opening…" : "Sign in"}
            </Button>
          )}
          {(status === "disconnected" || status === "failed") && (
            <Button disabled={reconnecting} onClick={() => actions.reconnect(server)}>
              {reconnecting ? "Trying…" : "Try now"}
            </Button>
          )}
          {(status === "disconnected" || status === "failed") && <Button onClick={onLog}>Open its log</Button>}
        </div>
      </Alert>
    </section>
  );
}

function titleOf({ state, toolCount }: ServerDetail): string {
  if (state.status === "sign_in_needed") return "Sign in to use this server";
  if (state.status === "failed") return "It cannot be connected until something is changed";
  if (state.status === "disconnected") return "Not connected; it is tried again by itself";
  if (state.status === "disabled") {
    return toolCount > 0 ? "Switched off: its tools cannot be called" : "Switched off";
  }
  return STATUS_WORDS[state.status];
}
