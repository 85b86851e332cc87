"use client";

import { useQuery } from "@tanstack/react-query";
import { useId } from "react";
import { AccountField } from "@/app/_components/accounts/summary/account-field";
import { SCOPE_ABOUT, SCOPE_LABELS } from "@/app/_components/accounts/summary/account-words";
import { FieldProblems, FormField } from "@/app/_kit/form-field";
import { MultiSelect } from "@/app/_kit/multi-select";
import { sortProblems } from "@/app/_kit/problems";
import { useTRPC } from "@/app/_trpc/client";
import { usePrincipal } from "@/app/_ui/access";
import { Alert } from "@/app/_ui/alert";
import { NativeSelect } from "@/app/_ui/field";
import { Segmented } from "@/app/_ui/segmented";
import { SCOPES } from "@/lib/contract/access";
import type { Problem } from "@/lib/contract/problem";
import { TOKEN_FIELDS, type TokenDraft } from "./token-draft";

const EXPIRY_DAYS = [30, 90, 365];

/** @param maxDays the greatest age of a token; null for no limit */
function listExpiries(maxDays: number | null): (readonly [days: string, text: string])[] {
  const most = maxDays ?? Number.POSITIVE_INFINITY;
  const days = EXPIRY_DAYS.filter((each) => each < most);
  if (maxDays !== null) days.push(maxDays);
  const options = days.map((each) => [String(each), each === 1 ? "1 day" : `${each} days`] as const);
  return maxDays === null ? [...options, ["", "Never"]] : options;
}

const NONE: readonly string[] = [];

export interface TokenFieldsProps {
  draft: TokenDraft;
  found: readonly Problem[];
  /** The greatest age of a token; null for no limit. */
  maxDays: number | null;
  onChange: (part: Partial<TokenDraft>) => void;
}

export function TokenFields({ draft, found, maxDays, onChange }: TokenFieldsProps) {
  const { role } = usePrincipal();
  const id = useId();
  const problems = sortProblems(found, TOKEN_FIELDS, "");
  return (
    <>
      <AccountField
        label="Name"
        autoComplete="off"
        required
        autoFocus
        maxLength={100}
        placeholder="ci"
        hint="The program it is for."
        value={draft.name}
        problems={problems.name}
        onChange={(name) => onChange({ name })}
      />
      <div>
        <p className="mb-1 font-medium">Scope</p>
        <Segmented
          label="Scope"
          value={draft.scope}
          options={SCOPES.map((scope) => ({ value: scope, label: SCOPE_LABELS[scope] }))}
          onChange={(scope) => onChange({ scope })}
        />
        <p className="mt-1 text-mute text-xs">
          {SCOPE_ABOUT[draft.scope]} It can do no more than your role ({role}).
        </p>
        <FieldProblems id={`${id}-scope`} problems={problems.scopes ?? NONE} />
      </div>
      {draft.scope === "run" && (
        <Limits
          draft={draft}
          onChange={onChange}
          problems={[...(problems.tools ?? []), ...(problems.servers ?? []), ...(problems.toolsets ?? [])]}
        />
      )}
      <FormField id={`${id}-expiry`} label="Expires after" problems={problems.validDays ?? NONE}>
        <NativeSelect
          id={`${id}-expiry`}
          value={draft.validDays === null ? "" : String(draft.validDays)}
          options={listExpiries(maxDays)}
          onChange={({ target }) => onChange({ validDays: target.value === "" ? null : Number(target.value) })}
        />
      </FormField>
      {problems[""] !== undefined && (
        <Alert live tone="bad" title="Couldn't create the token">
          <FieldProblems id={id} problems={problems[""]} />
        </Alert>
      )}
    </>
  );
}

interface LimitsProps extends Pick<TokenFieldsProps, "draft" | "onChange"> {
  problems: readonly string[];
}

function Limits({ draft: { tools, servers, toolsets }, onChange, problems }: LimitsProps) {
  const trpc = useTRPC();
  const allTools = useQuery(trpc.tools.list.queryOptions());
  const allServers = useQuery(trpc.servers.list.queryOptions());
  const allToolsets = useQuery(trpc.toolsets.list.queryOptions());
  const toOptions = (items: readonly { name: string }[] = []) =>
    items.map(({ name }) => ({ value: name, label: name, mono: true }));
  return (
    <fieldset className="min-w-0">
      <legend className="mb-1 font-medium">Limit to (optional)</legend>
      <div className="flex flex-wrap gap-2">
        <MultiSelect
          label="Tools"
          options={toOptions(allTools.data?.items)}
          value={tools}
          onChange={(chosen) => onChange({ tools: chosen })}
        />
        <MultiSelect
          label="Servers"
          options={toOptions(allServers.data?.items)}
          value={servers}
          onChange={(chosen) => onChange({ servers: chosen })}
        />
        <MultiSelect
          label="Toolsets"
          options={toOptions(allToolsets.data)}
          value={toolsets}
          onChange={(chosen) => onChange({ toolsets: chosen })}
        />
      </div>
      <p className="mt-1 text-mute text-xs">
        {tools.length + servers.length + toolsets.length === 0
          ? "Without a limit it can run every tool."
          : "It can run these tools, everything of these servers, and these toolsets at their addresses, and nothing else."}
      </p>
      <FieldProblems id="token-limits" problems={problems} />
    </fieldset>
  );
}
