"use client";

import { useSuspenseQuery } from "@tanstack/react-query";
import { EditForm } from "@/app/_kit/form/edit-form";
import { defineForm, type FieldLook, text } from "@/app/_kit/form/fields";
import { client, trpc } from "@/app/_trpc/client";
import { Card } from "@/app/_ui/card";
import type { AccessRules } from "@/lib/contract/access-rules";

const MAX_DAYS = 3650;

/** An empty text is no limit. */
const days = (label: string, look: FieldLook) =>
  text(label, {
    inputMode: "numeric",
    short: true,
    write: (typed) => (typed.trim() === "" ? null : Number(typed)),
    check: (typed) => {
      const isDays = /^\s*[1-9]\d{0,3}\s*$/.test(typed) && Number(typed) <= MAX_DAYS;
      return isDays || typed.trim() === "" ? [] : [`Enter a whole number from 1 to ${MAX_DAYS}, or leave it empty`];
    },
    ...look,
  });

/** @param provider the name of the identity provider */
const toForm = (provider: string) =>
  defineForm<AccessRules>()({
    maxTokenDays: days("Greatest age of new API tokens (days)", {
      placeholder: "No limit",
      hint: "Existing tokens stay as they are.",
    }),
    absentDays: days("Switch off absent accounts after (days)", {
      placeholder: "Never",
      hint: `Accounts that ${provider} has not signed in for so long lose sessions, tokens and connected clients. The last admin stays.`,
    }),
  });

/** How long API tokens are valid, and when absent accounts are switched off. @param signOnName null without single sign-on */
export function AccessRulesCard({ signOnName }: { signOnName: string | null }) {
  const { data: state } = useSuspenseQuery(trpc.accessRules.get.queryOptions());
  return (
    <Card title="Access rules">
      <div className="px-3.5 py-3">
        <EditForm
          key={state.revision}
          label="Access rules"
          needs="administer"
          variant="primary"
          size="md"
          submitLabel="Save"
          failure="Couldn't save the access rules"
          table={toForm(signOnName ?? "single sign-on")}
          initial={state.rules}
          root="rules"
          save={(rules) => client.accessRules.save.mutate({ rules, revision: state.revision })}
          stale={[trpc.accessRules.get, trpc.system.info]}
          done="Access rules saved"
        />
      </div>
    </Card>
  );
}
