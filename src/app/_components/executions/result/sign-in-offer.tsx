"use client";

import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { ReplayButton } from "@/app/_components/executions/summary/replay-button";
import { namesRedirect, RedirectAddress } from "@/app/_components/servers/summary/redirect-address";
import { toServerPath } from "@/app/_components/servers/summary/server-words";
import { useLiveServers } from "@/app/_components/servers/summary/use-live-servers";
import { useSignIn } from "@/app/_components/servers/summary/use-sign-in";
import { trpc } from "@/app/_trpc/client";
import { Button, ButtonLink } from "@/app/_ui/button";

export interface SignInOfferProps {
  /** The MCP server that demanded the sign-in. */
  server: string;
  executionId: string;
}

/** Lets a user sign in to the server and come back to the failed call, and replay it once they have. */
export function SignInOffer({ server, executionId }: SignInOfferProps) {
  useLiveServers();
  const { data } = useQuery(trpc.servers.get.queryOptions({ name: server }));
  const [problem, setProblem] = useState<string | null>(null);
  const signIn = useSignIn(setProblem);
  // The server may have been deleted or renamed since.
  if (!data) return null;
  if (data.credentials === "personal") return <ConnectOffer server={server} executionId={executionId} />;
  const opening = signIn.pendingName !== null;
  return (
    <div className="flex flex-col gap-2">
      <p className="text-mute text-xs">
        {data.state.status === "sign_in_needed"
          ? `This call did not run. Sign in to ${server}, then replay it.`
          : `No sign-in to ${server} is required anymore. Replay this call.`}
      </p>
      <div className="flex flex-wrap gap-2">
        {data.state.status === "sign_in_needed" ? (
          <Button
            needs="edit"
            variant="primary"
            disabled={opening}
            onClick={() => signIn.start(server, `/executions/${executionId}`)}
          >
            {opening ? "Opening…" : "Sign in"}
          </Button>
        ) : (
          <ReplayButton executionId={executionId} label="Replay this call" />
        )}
        <ButtonLink href={toServerPath(server)}>Open server</ButtonLink>
      </div>
      {problem !== null && (
        <p role="alert" className="text-bad text-xs [overflow-wrap:anywhere]">
          {problem}
        </p>
      )}
      {namesRedirect(problem) && <RedirectAddress />}
    </div>
  );
}

/** For a server with personal credentials: the caller's own is missing. */
function ConnectOffer({ server, executionId }: SignInOfferProps) {
  const { data: own } = useQuery(trpc.credentials.own.queryOptions({ name: server }));
  if (!own) return null;
  const connected = own.connectedAt !== null;
  return (
    <div className="flex flex-col gap-2">
      <p className="text-mute text-xs">
        {connected
          ? "You have connected your account. A replay runs with it."
          : `This call did not run: ${server} needs the caller's own credential. Connect your account, then replay the call.`}
      </p>
      <div className="flex flex-wrap gap-2">
        {connected && <ReplayButton executionId={executionId} label="Replay this call" />}
        <ButtonLink href={toServerPath(server)} variant={connected ? "secondary" : "primary"}>
          {connected ? "Open server" : "Connect your account"}
        </ButtonLink>
      </div>
    </div>
  );
}
