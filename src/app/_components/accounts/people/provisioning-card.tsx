import { useSuspenseQuery } from "@tanstack/react-query";
import { Plus, Trash2 } from "lucide-react";
import { useState } from "react";
import { ROLE_LABELS } from "@/app/_components/accounts/summary/account-words";
import { ConfirmAction } from "@/app/_kit/confirm-action";
import { useAction } from "@/app/_kit/use-action";
import { client, trpc } from "@/app/_trpc/client";
import { ActionProblem } from "@/app/_ui/action-problem";
import { Button, IconButton } from "@/app/_ui/button";
import { Card } from "@/app/_ui/card";
import { CopyButton } from "@/app/_ui/copy-button";
import { Input, NativeSelect } from "@/app/_ui/field";
import { onDemand } from "@/app/_ui/on-demand";
import { RelativeTime } from "@/app/_ui/relative-time";
import { getConsoleAddress } from "@/lib/base-path";
import { ROLES, type Role } from "@/lib/contract/access";
import type { GroupRoles, Provisioning } from "@/lib/contract/provisioning";
import { formatPlural } from "@/lib/format";

const ScimTokenDialog = onDemand(() => import("./scim-token-dialog"), "ScimTokenDialog");

const ROLE_OPTIONS = ROLES.map((role) => [role, ROLE_LABELS[role]] as const);

/** The connection of an identity provider that creates and ends accounts (SCIM); for admins. */
export function ProvisioningCard() {
  const { data: state } = useSuspenseQuery(trpc.scim.get.queryOptions());
  const [secret, setSecret] = useState<string | null>(null);
  const [isRevoking, setRevoking] = useState(false);
  const create = useAction(trpc.scim.createToken, {
    stale: [trpc.scim.get],
    done: "SCIM token created",
    onDone: ({ text }) => setSecret(text),
  });
  return (
    <>
      <ActionProblem problem={create.problem} onDismiss={create.reset} />
      <Card
        title="Provisioning (SCIM 2.0)"
        about="Your identity provider creates accounts, gives roles by groups, and ends access at once when a user leaves."
        action={
          <div className="flex flex-wrap gap-2">
            {state.token !== null && (
              <Button variant="danger" onClick={() => setRevoking(true)}>
                Revoke token
              </Button>
            )}
            <Button icon={Plus} disabled={create.isPending} onClick={() => create.mutate()}>
              {state.token === null ? "Create token" : "Replace token"}
            </Button>
          </div>
        }
      >
        <ConnectionFacts state={state} />
        <GroupRolesForm key={state.revision} state={state} />
      </Card>
      {secret !== null && <ScimTokenDialog secret={secret} onClose={() => setSecret(null)} />}
      {isRevoking && (
        <ConfirmAction
          title="Revoke the SCIM token?"
          description="The identity provider is refused at once. The users that it created stay."
          action="Revoke"
          running="Revoking…"
          failure="Couldn't revoke"
          run={() => client.scim.revokeToken.mutate()}
          stale={[trpc.scim.get]}
          done="SCIM token revoked"
          onClose={() => setRevoking(false)}
        />
      )}
    </>
  );
}

function ConnectionFacts({ state: { token, lastRequest, users, groups } }: { state: Provisioning }) {
  const address = typeof window === "undefined" ? "/scim/v2" : `${getConsoleAddress()}/scim/v2`;
  return (
    <div className="flex flex-col gap-1 px-3.5 pt-3 [overflow-wrap:anywhere]">
      <div className="flex items-center gap-1">
        <span className="text-mute">Address:</span>
        <code className="font-mono text-xs" suppressHydrationWarning>
          {address}
        </code>
        <CopyButton text={address} label="Copy address" />
      </div>
      <p className="text-mute text-xs">
        {token === null ? (
          "No token: nothing can connect."
        ) : (
          <>
            Token <span className="font-mono">{token.start}…</span>, created by <bdi>{token.createdBy}</bdi>{" "}
            <RelativeTime at={token.createdAt} />
            {". "}
            {lastRequest === null ? (
              "No requests yet."
            ) : (
              <>
                Last request <RelativeTime at={lastRequest.at} /> (status {lastRequest.status}).
              </>
            )}
          </>
        )}{" "}
        {formatPlural(users, "user")}, {formatPlural(groups.length, "group")}.
      </p>
    </div>
  );
}

/** A row of the table; the number is its key. */
interface Row {
  key: number;
  group: string;
  role: Role;
}

/** Edits the roles that groups give. A user in several groups has the highest role. */
function GroupRolesForm({ state }: { state: Provisioning }) {
  const { roles, revision, groups, rolesFromSignOn } = state;
  const [rows, setRows] = useState<Row[]>(() => roles.groups.map((each, key) => ({ key, ...each })));
  const [defaultRole, setDefaultRole] = useState<Role>(roles.defaultRole);
  const save = useAction(trpc.scim.saveRoles, {
    stale: [trpc.scim.get, trpc.people.list],
    done: "Roles of groups saved",
  });
  if (rolesFromSignOn) {
    return <p className="px-3.5 py-3 text-mute">Single sign-on gives roles, so groups give none.</p>;
  }
  const change = (key: number, part: Partial<Row>) =>
    setRows((known) => known.map((row) => (row.key === key ? { ...row, ...part } : row)));
  const nextKey = Math.max(-1, ...rows.map(({ key }) => key)) + 1;
  const unused = groups.find(({ name }) => rows.every(({ group }) => group !== name));
  const toRoles = (): GroupRoles => ({ defaultRole, groups: rows.map(({ group, role }) => ({ group, role })) });
  const isChanged =
    defaultRole !== roles.defaultRole ||
    rows.length !== roles.groups.length ||
    rows.some(({ group, role }, at) => group !== roles.groups[at]?.group || role !== roles.groups[at]?.role);
  return (
    <form
      aria-label="Roles of groups"
      className="flex flex-col items-start gap-2 px-3.5 py-3"
      onSubmit={(event) => {
        event.preventDefault();
        save.mutate({ roles: toRoles(), revision });
      }}
    >
      <ActionProblem problem={save.problem} onDismiss={save.reset} />
      <datalist id="scim-groups">
        {groups.map(({ name, members }) => (
          <option key={name} value={name} label={formatPlural(members, "member")} />
        ))}
      </datalist>
      <div>
        <p className="font-medium">Roles of groups</p>
        <p className="text-mute text-xs">A user in several groups has the highest role.</p>
      </div>
      {rows.map(({ key, group, role }) => (
        <div key={key} className="flex w-full max-w-lg items-center gap-2">
          <Input
            aria-label="Group"
            list="scim-groups"
            required
            maxLength={254}
            value={group}
            onChange={({ target }) => change(key, { group: target.value })}
          />
          <RoleSelect
            label={`Role of ${group || "the group"}`}
            value={role}
            onChange={(next) => change(key, { role: next })}
          />
          <IconButton
            icon={Trash2}
            label={`Remove ${group || "the group"}`}
            onClick={() => setRows((known) => known.filter((row) => row.key !== key))}
          />
        </div>
      ))}
      <div className="flex items-center gap-2">
        {rows.length === 0 ? "Role of new users" : "Role of everyone else"}
        <RoleSelect label="Default role" value={defaultRole} onChange={setDefaultRole} />
      </div>
      <div className="flex gap-2">
        <Button
          icon={Plus}
          onClick={() => setRows((known) => [...known, { key: nextKey, group: unused?.name ?? "", role: "operator" }])}
        >
          Add group
        </Button>
        <Button type="submit" variant="primary" disabled={save.isPending || !isChanged}>
          Save roles
        </Button>
      </div>
    </form>
  );
}

interface RoleSelectProps {
  label: string;
  value: Role;
  onChange: (role: Role) => void;
}

function RoleSelect({ label, value, onChange }: RoleSelectProps) {
  return (
    <NativeSelect
      aria-label={label}
      value={value}
      options={ROLE_OPTIONS}
      className="w-28! shrink-0"
      onChange={({ target }) => {
        const role = ROLES.find((each) => each === target.value);
        if (role !== undefined) onChange(role);
      }}
    />
  );
}
