import { useSuspenseQuery } from "@tanstack/react-query";
import { Plus } from "lucide-react";
import { useState } from "react";
import { trpc } from "@/app/_trpc/client";
import { usePrincipal } from "@/app/_ui/access";
import { Button } from "@/app/_ui/button";
import { Card } from "@/app/_ui/card";
import { onDemand } from "@/app/_ui/on-demand";
import type { ApiToken } from "@/lib/contract/account";
import { RevokeToken, TokenRow } from "./token-row";

const CreateTokenDialog = onDemand(() => import("./create-token-dialog"), "CreateTokenDialog");

/** Tokens for programs; an admin sees everyone's. */
export function TokensSection() {
  const { id: own } = usePrincipal();
  const { data: tokens } = useSuspenseQuery(trpc.tokens.list.queryOptions());
  const [creating, setCreating] = useState(false);
  const [revoking, setRevoking] = useState<ApiToken | null>(null);
  const create = (
    <Button icon={Plus} onClick={() => setCreating(true)}>
      Create token
    </Button>
  );
  return (
    <div id="api-tokens" className="scroll-mt-4">
      <Card
        title="API tokens"
        about="For programs that use the API or /mcp. A token acts in its owner's name and can never do more than its owner."
        action={create}
      >
        {tokens.length === 0 ? (
          <p className="px-3.5 py-3 text-mute">No API tokens yet.</p>
        ) : (
          <ul className="divide-y divide-line">
            {tokens.map((token) => (
              <TokenRow key={token.id} token={token} own={token.ownerId === own} onRevoke={() => setRevoking(token)} />
            ))}
          </ul>
        )}
      </Card>
      {revoking !== null && <RevokeToken token={revoking} onClose={() => setRevoking(null)} />}
      {creating && <CreateTokenDialog onClose={() => setCreating(false)} />}
    </div>
  );
}
