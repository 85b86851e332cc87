"use client";

import { useQuery, useSuspenseQuery } from "@tanstack/react-query";
import { Plus } from "lucide-react";
import { useState } from "react";
import { MODEL_QUERIES, useLiveModels } from "@/app/_components/models/summary/use-live-models";
import { ConfirmAction } from "@/app/_kit/confirm-action";
import { client, trpc } from "@/app/_trpc/client";
import { Button } from "@/app/_ui/button";
import { Card } from "@/app/_ui/card";
import { onDemand } from "@/app/_ui/on-demand";
import type { ModelChoice, ModelProviderSummary } from "@/lib/contract/model";
import { ProviderCard } from "./provider-card";

const ProviderDialog = onDemand(() => import("../form/provider-form"), "ProviderDialog");

type Opened = { dialog: "add" } | { dialog: "edit" | "delete"; provider: ModelProviderSummary } | null;

const NO_CHOICES: readonly ModelChoice[] = [];

/** Lists the models that answer for the agent. */
export function ModelsView() {
  useLiveModels();
  return <ProvidersSection />;
}

function ProvidersSection() {
  const { data } = useSuspenseQuery(trpc.models.providers.queryOptions());
  const choices = useQuery(trpc.models.choices.queryOptions()).data?.items ?? NO_CHOICES;
  const [opened, setOpened] = useState<Opened>(null);
  const close = () => setOpened(null);
  const onlyDemo = data.items.every(({ kind }) => kind === "demo");
  return (
    <Card
      title="Model providers"
      about={
        <>
          Models for the Playground. Keys are stored encrypted and never shown again; a key in an environment variable
          such as <code className="font-mono">ANTHROPIC_API_KEY</code> is detected automatically.
        </>
      }
      action={
        <Button
          icon={Plus}
          needs="administer"
          variant={onlyDemo ? "primary" : "secondary"}
          onClick={() => setOpened({ dialog: "add" })}
        >
          Add provider
        </Button>
      }
    >
      <ul className="divide-y divide-line">
        {data.items.map((provider) => (
          <ProviderCard
            key={provider.name}
            provider={provider}
            choices={choices}
            onEdit={() => setOpened({ dialog: "edit", provider })}
            onDelete={() => setOpened({ dialog: "delete", provider })}
          />
        ))}
      </ul>
      {opened?.dialog === "add" && <ProviderDialog editing={null} onClose={close} />}
      {opened?.dialog === "edit" && (
        // The provider as it is saved now; another user may change it while the dialog is open.
        <ProviderDialog
          editing={data.items.find(({ name }) => name === opened.provider.name) ?? opened.provider}
          onClose={close}
        />
      )}
      {opened?.dialog === "delete" && <DeleteProvider provider={opened.provider} onClose={close} />}
    </Card>
  );
}

/** Asks first: a stored key cannot be brought back. */
function DeleteProvider({ provider, onClose }: { provider: ModelProviderSummary; onClose: () => void }) {
  const { name, key, lastEdit } = provider;
  const hasKey = key.state === "stored" || key.state === "unreadable";
  return (
    <ConfirmAction
      title={`Delete ${name}?`}
      description={`${hasKey ? "This also deletes its stored key. " : ""}Runs and checks made with it are kept.`}
      needs="administer"
      run={() => client.models.deleteProvider.mutate({ name, revision: lastEdit?.revision })}
      stale={MODEL_QUERIES}
      done={`${name} deleted`}
      onClose={onClose}
    />
  );
}
