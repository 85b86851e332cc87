"use client";

import { useSuspenseQuery } from "@tanstack/react-query";
import { useId, useState } from "react";
import { describedBy, FormField } from "@/app/_kit/form-field";
import { useAction } from "@/app/_kit/use-action";
import { useTRPC } from "@/app/_trpc/client";
import { ActionProblem } from "@/app/_ui/action-problem";
import { Button } from "@/app/_ui/button";
import { Card } from "@/app/_ui/card";
import { Input } from "@/app/_ui/field";
import type { AccessRules, AccessRulesState } from "@/lib/contract/access-rules";

type Draft = Record<keyof AccessRules, string>;

const MAX_DAYS = 3650;
const toText = (days: number | null): string => (days === null ? "" : String(days));
const toDraft = ({ maxTokenDays, absentDays }: AccessRules): Draft => ({
  maxTokenDays: toText(maxTokenDays),
  absentDays: toText(absentDays),
});

/** Undefined for a text that is no number of days. */
function readDays(text: string): number | null | undefined {
  if (text.trim() === "") return null;
  const days = Number(text);
  return Number.isInteger(days) && days >= 1 && days <= MAX_DAYS ? days : undefined;
}

/** How long API tokens are valid, and when absent accounts are switched off. @param signOnName null without single sign-on */
export function AccessRulesCard({ signOnName }: { signOnName: string | null }) {
  const { data: state } = useSuspenseQuery(useTRPC().accessRules.get.queryOptions());
  return <AccessRulesForm key={state.revision} state={state} signOnName={signOnName} />;
}

function AccessRulesForm({ state, signOnName }: { state: AccessRulesState; signOnName: string | null }) {
  const trpc = useTRPC();
  const [draft, setDraft] = useState(() => toDraft(state.rules));
  const save = useAction(trpc.accessRules.save.mutationOptions(), {
    stale: [trpc.accessRules.get.queryKey(), trpc.system.info.queryKey()],
    done: () => "Access rules saved",
  });
  const maxTokenDays = readDays(draft.maxTokenDays);
  const absentDays = readDays(draft.absentDays);
  const saved = toDraft(state.rules);
  const isDirty = draft.maxTokenDays !== saved.maxTokenDays || draft.absentDays !== saved.absentDays;
  const provider = signOnName ?? "single sign-on";
  return (
    <Card title="Access rules">
      <form
        noValidate
        aria-label="Access rules"
        className="flex flex-col gap-3 px-3.5 py-3"
        onSubmit={(event) => {
          event.preventDefault();
          if (maxTokenDays === undefined || absentDays === undefined) return;
          save.mutate({ rules: { maxTokenDays, absentDays }, revision: state.revision });
        }}
      >
        <ActionProblem problem={save.problem} onDismiss={save.reset} />
        <DaysField
          label="Greatest age of new API tokens (days)"
          placeholder="No limit"
          hint="Existing tokens stay as they are."
          value={draft.maxTokenDays}
          onChange={(text) => setDraft({ ...draft, maxTokenDays: text })}
        />
        <DaysField
          label="Switch off absent accounts after (days)"
          placeholder="Never"
          hint={`Accounts that ${provider} has not signed in for so long lose sessions, tokens and connected clients. The last admin stays.`}
          value={draft.absentDays}
          onChange={(text) => setDraft({ ...draft, absentDays: text })}
        />
        <Button
          type="submit"
          variant="primary"
          size="md"
          className="self-start"
          needs="administer"
          disabled={!isDirty || maxTokenDays === undefined || absentDays === undefined || save.isPending}
        >
          Save
        </Button>
      </form>
    </Card>
  );
}

interface DaysFieldProps {
  label: string;
  placeholder: string;
  hint: string;
  value: string;
  onChange: (text: string) => void;
}

function DaysField({ label, placeholder, hint, value, onChange }: DaysFieldProps) {
  const id = useId();
  const problems =
    readDays(value) === undefined ? [`Enter a whole number from 1 to ${MAX_DAYS}, or leave it empty`] : [];
  return (
    <FormField id={id} label={label} hint={hint} problems={problems}>
      <Input
        id={id}
        inputMode="numeric"
        autoComplete="off"
        className="max-w-40"
        placeholder={placeholder}
        value={value}
        aria-invalid={problems.length > 0 || undefined}
        aria-describedby={describedBy(id, { hint: true, problems })}
        onChange={({ target }) => onChange(target.value)}
      />
    </FormField>
  );
}
