import { SCOPE_ABOUT, SCOPE_LABELS } from "@/app/_components/accounts/summary/account-words";
import { ConfirmAction } from "@/app/_kit/confirm-action";
import { useNow } from "@/app/_kit/use-now";
import { client, trpc } from "@/app/_trpc/client";
import { Badge } from "@/app/_ui/badge";
import { Button } from "@/app/_ui/button";
import { DateOnly } from "@/app/_ui/date-only";
import { RelativeTime } from "@/app/_ui/relative-time";
import { SCOPES } from "@/lib/contract/access";
import type { ApiToken } from "@/lib/contract/account";

const MINUTE_MS = 60_000;

export function TokenRow({ token, own, onRevoke }: { token: ApiToken; own: boolean; onRevoke: () => void }) {
  const { name, start, scopes, ownerName, createdAt, expiresAt, lastUsedAt } = token;
  const now = useNow(MINUTE_MS);
  const expired = expiresAt !== null && now !== null && expiresAt <= now;
  // The last scope includes the others.
  const scope = SCOPES.findLast((each) => scopes.includes(each));
  return (
    <li className="flex items-center gap-3 px-3.5 py-2">
      <div className="min-w-0 flex-1 [overflow-wrap:anywhere]">
        <div className="flex flex-wrap items-center gap-x-1.5 gap-y-0.5">
          <span className="font-medium">
            <bdi>{name}</bdi>
          </span>
          <span className="font-mono text-mute text-xs">{start}…</span>
          {scope !== undefined && <Badge title={SCOPE_ABOUT[scope]}>{SCOPE_LABELS[scope]}</Badge>}
          {expired && <Badge tone="warn">Expired</Badge>}
          {!own && (
            <span className="text-mute text-xs">
              of <bdi>{ownerName}</bdi>
            </span>
          )}
        </div>
        <TokenLimits token={token} />
        <div className="text-mute text-xs">
          Created <RelativeTime at={createdAt} />,{" "}
          {expiresAt === null ? (
            "never expires"
          ) : (
            <>
              {expired ? "expired" : "expires"} <DateOnly at={expiresAt} />
            </>
          )}
          ,{" "}
          {lastUsedAt === null ? (
            "never used"
          ) : (
            <>
              last used <RelativeTime at={lastUsedAt} />
            </>
          )}
        </div>
      </div>
      <Button variant="danger" aria-label={`Revoke ${name}`} onClick={onRevoke}>
        Revoke
      </Button>
    </li>
  );
}

/** Asks first: a revoked token cannot be brought back. */
export function RevokeToken({ token: { id, name, start }, onClose }: { token: ApiToken; onClose: () => void }) {
  return (
    <ConfirmAction
      title={`Revoke ${name}?`}
      description={`Programs that use ${start}… are refused at once. A revoked token cannot be brought back.`}
      action="Revoke"
      running="Revoking…"
      failure="Couldn't revoke"
      run={() => client.tokens.revoke.mutate({ id })}
      stale={[trpc.tokens.list, trpc.serviceAccounts.list]}
      done={`${name} revoked`}
      onClose={onClose}
    />
  );
}

function TokenLimits({ token: { tools, servers, toolsets } }: { token: ApiToken }) {
  const names = [
    ...(tools ?? []),
    ...(servers ?? []).map((server) => `all of ${server}`),
    ...(toolsets ?? []).map((toolset) => `toolset ${toolset}`),
  ];
  if (tools === null && servers === null && !toolsets) return null;
  return (
    <div className="text-mute text-xs">
      Only <span className="font-mono">{names.join(", ")}</span>
    </div>
  );
}
