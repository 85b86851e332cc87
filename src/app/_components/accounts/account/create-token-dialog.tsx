"use client";

import { type FormEvent, useState } from "react";
import { SecretText } from "@/app/_components/accounts/summary/secret-text";
import { useSave } from "@/app/_kit/use-save";
import { useTRPC, useTRPCClient } from "@/app/_trpc/client";
import { useInvalidate } from "@/app/_trpc/use-invalidate";
import { Button } from "@/app/_ui/button";
import { Dialog } from "@/app/_ui/dialog";
import type { ApiTokenInput } from "@/lib/contract/account";
import { NEW_TOKEN, readTokenDraft } from "./token-draft";
import { TokenFields } from "./token-fields";

/** Creates an API token, then shows its secret. */
export function CreateTokenDialog({ onClose }: { onClose: () => void }) {
  const trpc = useTRPC();
  const client = useTRPCClient();
  const refresh = useInvalidate(trpc.tokens.list.queryKey());
  const [secret, setSecret] = useState<string | null>(null);
  const [draft, setDraft] = useState(NEW_TOKEN);
  const { save, pending, problems } = useSave({
    send: (token: ApiTokenInput) => client.tokens.create.mutate(token),
    onSaved: async ({ text }) => {
      setSecret(text);
      await refresh();
    },
    toast: ({ token }) => `${token.name} created`,
  });
  const onOpenChange = (open: boolean): void => {
    if (!open) onClose();
  };
  if (secret !== null) {
    return (
      <Dialog
        open
        onOpenChange={onOpenChange}
        title="API token created"
        description="Copy it now: it is shown once, and the server keeps no readable copy."
      >
        <TokenSecret secret={secret} onDone={onClose} />
      </Dialog>
    );
  }
  const submit = (event: FormEvent): void => {
    event.preventDefault();
    if (!pending) save({ input: readTokenDraft(draft) });
  };
  return (
    <Dialog open onOpenChange={onOpenChange} title="Create API token">
      <form noValidate className="flex flex-col gap-4" onSubmit={submit}>
        <TokenFields
          draft={draft}
          found={problems}
          onChange={(part) => setDraft((before) => ({ ...before, ...part }))}
        />
        <div className="flex justify-end gap-2">
          <Button size="md" onClick={onClose}>
            Cancel
          </Button>
          <Button size="md" variant="primary" type="submit" disabled={pending}>
            {pending ? "Creating…" : "Create token"}
          </Button>
        </div>
      </form>
    </Dialog>
  );
}

/** A new token's text, as programs need it. Only in the browser, which knows the server's address. */
function TokenSecret({ secret, onDone }: { secret: string; onDone: () => void }) {
  return (
    <div className="flex flex-col gap-4">
      <SecretText label="Token" text={secret} />
      <SecretText label="Header" text={`Authorization: Bearer ${secret}`} />
      <SecretText label="mcp.json" text={formatClientConfiguration(window.location.origin, secret)} />
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
