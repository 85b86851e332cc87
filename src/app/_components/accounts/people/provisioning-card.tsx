import { useQuery, useSuspenseQuery } from "@tanstack/react-query";
import { Plus, Trash2 } from "lucide-react";
import { useState } from "react";
import { ROLE_LABELS } from "@/app/_components/accounts/summary/account-words";
import { ConfirmAction } from "@/app/_kit/confirm-action";
import { MultiSelect } from "@/app/_kit/multi-select";
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
import type { GroupRole, GroupRoles, Provisioning } from "@/lib/contract/provisioning";
import { formatPlural } from "@/lib/format";
import { equalJson } from "@/lib/json/equal-json";

const ScimTokenDialog = onDemand(() => import("./scim-token-dialog"), "ScimTokenDialog");

const ROLE_OPTIONS: readonly (readonly [string, string])[] = ROLES.map((role) => [role, ROLE_LABELS[role]] as const);
const NO_ROLE = ["", "No role"] as const;

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
        about="Your identity provider creates accounts, gives roles and toolsets by groups, and ends access at once when a user leaves."
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
  role: Role | null;
  /** Undefined where the group limits nothing. */
  toolsets: string[] | undefined;
}

const toGroupRole = ({ group, role, toolsets }: Omit<Row, "key">): GroupRole =>
  toolsets === undefined ? { group, role } : { group, role, toolsets };

/** Edits the roles and toolsets that groups give. A user in several groups has the highest role and all of their toolsets. */
function GroupRolesForm({ state }: { state: Provisioning }) {
  const { roles, revision, groups, rolesFromSignOn } = state;
  const { data: toolsets = [] } = useQuery(trpc.toolsets.list.queryOptions());
  const [rows, setRows] = useState<Row[]>(() =>
    roles.groups.map(({ group, role, toolsets: names }, key) => ({ key, group, role, toolsets: names })),
  );
  const [defaultRole, setDefaultRole] = useState<Role>(roles.defaultRole);
  const save = useAction(trpc.scim.saveRoles, {
    stale: [trpc.scim.get, trpc.people.list],
    done: rolesFromSignOn ? "Toolsets of groups saved" : "Roles of groups saved",
  });
  const change = (key: number, part: Partial<Row>) =>
    setRows((known) => known.map((row) => (row.key === key ? { ...row, ...part } : row)));
  const nextKey = Math.max(-1, ...rows.map(({ key }) => key)) + 1;
  const unused = groups.find(({ name }) => rows.every(({ group }) => group !== name));
  const toRoles = (): GroupRoles => ({ defaultRole, groups: rows.map(toGroupRole) });
  const isChanged = !equalJson(toRoles(), roles);
  return (
    <form
      aria-label={rolesFromSignOn ? "Toolsets of groups" : "Roles of groups"}
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
        <p className="font-medium">{rolesFromSignOn ? "Toolsets of groups" : "Roles and toolsets of groups"}</p>
        <p className="max-w-prose text-mute text-xs">
          {rolesFromSignOn
            ? "Single sign-on gives roles, so groups give none."
            : "A user in several groups has the highest role."}{" "}
          Members of a group with toolsets reach only these from MCP clients and with API tokens, at{" "}
          <code className="font-mono">/mcp/sets/…</code>, with those of their other groups; none where the toolsets are
          deleted. The console and admins are not limited. Deleting the group at the provider ends the limit.
        </p>
      </div>
      {rows.map((row) => (
        <GroupRow
          key={row.key}
          row={row}
          toolsets={toolsets.map(({ name }) => name)}
          hasRole={!rolesFromSignOn}
          onChange={(part) => change(row.key, part)}
          onRemove={() => setRows((known) => known.filter(({ key }) => key !== row.key))}
        />
      ))}
      {!rolesFromSignOn && (
        <div className="flex items-center gap-2">
          {rows.length === 0 ? "Role of new users" : "Role of everyone else"}
          <RoleSelect label="Default role" value={defaultRole} onChange={(next) => next && setDefaultRole(next)} />
        </div>
      )}
      <div className="flex gap-2">
        <Button
          icon={Plus}
          onClick={() =>
            setRows((known) => [
              ...known,
              {
                key: nextKey,
                group: unused?.name ?? "",
                role: rolesFromSignOn ? null : "operator",
                toolsets: undefined,
              },
            ])
          }
        >
          Add group
        </Button>
        <Button type="submit" variant="primary" disabled={save.isPending || !isChanged}>
          {rolesFromSignOn ? "Save toolsets" : "Save roles"}
        </Button>
      </div>
    </form>
  );
}

interface GroupRowProps {
  row: Row;
  /** The names of all toolsets. */
  toolsets: readonly string[];
  hasRole: boolean;
  onChange: (part: Partial<Row>) => void;
  onRemove: () => void;
}

function GroupRow({ row: { group, role, toolsets: chosen }, toolsets, hasRole, onChange, onRemove }: GroupRowProps) {
  const name = group || "the group";
  const options = [...new Set([...toolsets, ...(chosen ?? [])])].map((each) => ({
    value: each,
    label: each,
    mono: true,
  }));
  return (
    <fieldset aria-label={`Rights of ${name}`} className="flex w-full max-w-2xl min-w-0 flex-wrap items-center gap-2">
      <Input
        aria-label="Group"
        list="scim-groups"
        required
        maxLength={254}
        className="min-w-40 flex-1"
        value={group}
        onChange={({ target }) => onChange({ group: target.value })}
      />
      {hasRole && (
        <RoleSelect label={`Role of ${name}`} none value={role} onChange={(next) => onChange({ role: next })} />
      )}
      <MultiSelect
        label="Toolsets"
        options={options}
        value={chosen ?? []}
        onChange={(next) => onChange({ toolsets: next.length === 0 ? undefined : next })}
      />
      <IconButton icon={Trash2} label={`Remove ${name}`} onClick={onRemove} />
      {chosen?.length === 0 && (
        <p className="flex w-full flex-wrap items-center gap-2 text-xs">
          <span className="text-warn">
            Its toolsets were deleted: members reach none. Choose toolsets, or remove the limit.
          </span>
          <Button onClick={() => onChange({ toolsets: undefined })}>Remove limit</Button>
        </p>
      )}
    </fieldset>
  );
}

interface RoleSelectProps {
  label: string;
  value: Role | null;
  /** Offers no role. */
  none?: boolean;
  onChange: (role: Role | null) => void;
}

function RoleSelect({ label, value, none = false, onChange }: RoleSelectProps) {
  return (
    <NativeSelect
      aria-label={label}
      value={value ?? ""}
      options={none ? [...ROLE_OPTIONS, NO_ROLE] : ROLE_OPTIONS}
      className="w-28! shrink-0"
      onChange={({ target }) => onChange(ROLES.find((each) => each === target.value) ?? null)}
    />
  );
}
