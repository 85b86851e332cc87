"use client";

import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { SecretText } from "@/app/_components/accounts/summary/secret-text";
import { EditDialog } from "@/app/_kit/form/edit-dialog";
import { client, trpc } from "@/app/_trpc/client";
import { Button } from "@/app/_ui/button";
import { Dialog } from "@/app/_ui/dialog";
import { getConsoleAddress } from "@/lib/base-path";
import { TokenFields, toTokenForm } from "./token-fields";

interface CreateTokenDialogProps {
  /** Gets the secret, where the page has a place for it. */
  onCreated?: (secret: string) => void;
  onClose: () => void;
}

/** Creates an API token, then shows its secret. */
export function CreateTokenDialog({ onCreated, onClose }: CreateTokenDialogProps) {
  const [secret, setSecret] = useState<string | null>(null);
  const maxDays = useQuery(trpc.system.info.queryOptions()).data?.accountMode.maxTokenDays ?? null;
  if (secret !== null) {
    return (
      <Dialog
        onClose={onClose}
        title="API token created"
        description="Copy it now: it is shown once, and the server keeps no readable copy."
      >
        <TokenSecret secret={secret} onDone={onClose} />
      </Dialog>
    );
  }
  return (
    <EditDialog
      title="Create API token"
      submitLabel="Create token"
      pendingLabel="Creating…"
      failure="Couldn't create the token"
      table={toTokenForm(maxDays)}
      save={(token) => client.tokens.create.mutate(token)}
      stale={[trpc.tokens.list]}
      done={({ token }) => `${token.name} created`}
      onSaved={({ text }) => {
        setSecret(text);
        onCreated?.(text);
      }}
      onClose={onClose}
    >
      {(form) => <TokenFields form={form} />}
    </EditDialog>
  );
}

/** A new token's text, as programs need it. Only in the browser, which knows the server's address. */
function TokenSecret({ secret, onDone }: { secret: string; onDone: () => void }) {
  return (
    <div className="flex flex-col gap-4">
      <SecretText label="Token" text={secret} />
      <SecretText label="Header" text={`Authorization: Bearer ${secret}`} />
      <SecretText label="mcp.json" text={formatClientConfiguration(getConsoleAddress(), secret)} />
      <Button size="md" variant="primary" onClick={onDone} className="self-end">
        Done
      </Button>
    </div>
  );
}

function formatClientConfiguration(origin: string, secret: string): string {
  const toolroom = { type: "http", url: `${origin}/mcp`, headers: { Authorization: `Bearer ${secret}` } };
  return JSON.stringify({ mcpServers: { toolroom } }, null, 2);
}
