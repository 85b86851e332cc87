"use client";

import { useQuery } from "@tanstack/react-query";
import { parseAsString, useQueryStates } from "nuqs";
import { AskedList, canAsk } from "@/app/_components/servers/detail/offers/asked-list";
import { OfferList } from "@/app/_components/servers/detail/offers/offer-list";
import { useTRPC } from "@/app/_trpc/client";
import { useDenial } from "@/app/_ui/access";
import { EmptyState } from "@/app/_ui/empty-state";
import type { ServerDetail, ServerPrompt } from "@/lib/contract/server";
import { PromptView } from "./prompt-view";

/** The prompts that the server offers. The open one is in the address. */
export function PromptsTab({ server }: { server: ServerDetail }) {
  const trpc = useTRPC();
  const prompts = useQuery({
    ...trpc.content.prompts.queryOptions({ name: server.name }),
    enabled: useDenial("run") === null && canAsk(server, "prompts"),
    retry: false,
  });
  return (
    <AskedList server={server} what="prompts" query={prompts}>
      {(items) => <Prompts server={server} prompts={items} />}
    </AskedList>
  );
}

function Prompts({ server, prompts }: { server: ServerDetail; prompts: readonly ServerPrompt[] }) {
  const [{ prompt, q }, setAddress] = useQueryStates({ prompt: parseAsString, q: parseAsString.withDefault("") });
  const open = prompts.find(({ name }) => name === prompt);
  return (
    <div className="grid min-h-0 flex-1 grid-cols-1 max-lg:auto-rows-max lg:grid-cols-[minmax(16rem,24rem)_minmax(0,1fr)] lg:overflow-hidden">
      <div className="flex min-h-0 flex-col border-line lg:border-r">
        <OfferList
          label="prompts"
          offers={prompts.map(({ name, title, description }) => ({
            id: name,
            title: title ?? name,
            detail: description ?? name,
          }))}
          selected={prompt}
          onSelect={(next) => void setAddress({ prompt: next })}
          search={q}
          onSearch={(next) => void setAddress({ q: next === "" ? null : next })}
        />
      </div>
      {open === undefined ? (
        <EmptyState heading="h2" title={prompt === null ? "Choose a prompt" : "The server doesn't list this prompt"}>
          {prompt === null ? "Fill in the arguments to see the messages a model receives." : prompt}
        </EmptyState>
      ) : (
        <PromptView key={open.name} server={server.name} prompt={open} />
      )}
    </div>
  );
}
