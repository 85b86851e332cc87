"use client";

import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { SecretText } from "@/app/_components/accounts/summary/secret-text";
import { FormDialog } from "@/app/_kit/form-dialog";
import { FieldProblems } from "@/app/_kit/form-field";
import { sortProblems } from "@/app/_kit/problems";
import { useSave } from "@/app/_kit/use-save";
import { useTRPC, useTRPCClient } from "@/app/_trpc/client";
import { useInvalidate } from "@/app/_trpc/use-invalidate";
import { Button } from "@/app/_ui/button";
import { Dialog } from "@/app/_ui/dialog";
import { getConsoleAddress } from "@/lib/base-path";
import type { ApiTokenInput } from "@/lib/contract/account";
import { newToken, readTokenDraft, TOKEN_FIELDS } from "./token-draft";
import { TokenFields } from "./token-fields";

interface CreateTokenDialogProps {
  /** Gets the secret, where the page has a place for it. */
  onCreated?: (secret: string) => void;
  onClose: () => void;
}

/** Creates an API token, then shows its secret. */
export function CreateTokenDialog({ onCreated, onClose }: CreateTokenDialogProps) {
  const trpc = useTRPC();
  const client = useTRPCClient();
  const refresh = useInvalidate(trpc.tokens.list.queryKey());
  const [secret, setSecret] = useState<string | null>(null);
  const maxDays = useQuery(trpc.system.info.queryOptions()).data?.accountMode.maxTokenDays ?? null;
  const [draft, setDraft] = useState(() => newToken(maxDays));
  const { save, pending, problems } = useSave({
    send: (token: ApiTokenInput) => client.tokens.create.mutate(token),
    onSaved: async ({ text }) => {
      setSecret(text);
      onCreated?.(text);
      await refresh();
    },
    toast: ({ token }) => `${token.name} created`,
  });
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
  const rest = sortProblems(problems, TOKEN_FIELDS, "")[""];
  return (
    <FormDialog
      title="Create API token"
      submitLabel="Create token"
      pendingLabel="Creating…"
      pending={pending}
      failure="Couldn't create the token"
      problem={rest && <FieldProblems id="token" problems={rest} />}
      onSubmit={() => save({ input: readTokenDraft(draft) })}
      onClose={onClose}
    >
      <TokenFields
        draft={draft}
        maxDays={maxDays}
        found={problems}
        onChange={(part) => setDraft((before) => ({ ...before, ...part }))}
      />
    </FormDialog>
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
