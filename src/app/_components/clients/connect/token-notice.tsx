"use client";

import { useState } from "react";
import { Alert } from "@/app/_ui/alert";
import { Button } from "@/app/_ui/button";
import { onDemand } from "@/app/_ui/on-demand";
import { TOKEN_PLACEHOLDER } from "@/lib/contract/client-configuration";

const CreateTokenDialog = onDemand(
  () => import("@/app/_components/accounts/account/create-token-dialog"),
  "CreateTokenDialog",
);

interface TokenNoticeProps {
  hasToken: boolean;
  onCreated: (token: string) => void;
}

/** Where accounts are on: a program that no one signs in sends a token. */
export function TokenNotice({ hasToken, onCreated }: TokenNoticeProps) {
  const [creating, setCreating] = useState(false);
  return (
    <Alert
      tone="accent"
      title={hasToken ? "The new token is in the configurations" : "These clients send an API token"}
    >
      <div className="flex flex-wrap items-center gap-x-3 gap-y-1.5">
        <p className="min-w-0 flex-1 basis-64 text-mute">
          {hasToken ? (
            "Until you leave this page: it is not shown again."
          ) : (
            <>
              <code className="font-mono text-xs">{TOKEN_PLACEHOLDER}</code> stands in its place.
            </>
          )}
        </p>
        <Button onClick={() => setCreating(true)}>{hasToken ? "Create another" : "Create API token"}</Button>
      </div>
      {creating && <CreateTokenDialog onCreated={onCreated} onClose={() => setCreating(false)} />}
    </Alert>
  );
}
