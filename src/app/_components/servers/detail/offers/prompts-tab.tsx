"use client";

import { useQuery } from "@tanstack/react-query";
import { useTRPC } from "@/app/_trpc/client";
import type { ServerDetail } from "@/lib/contract/server";
import { OffersTab, useCanAsk } from "./offers-tab";
import { PromptView } from "./prompt-view";

/** The prompts that the server offers. The open one is in the address. */
export function PromptsTab({ server }: { server: ServerDetail }) {
  const trpc = useTRPC();
  const prompts = useQuery({
    ...trpc.content.prompts.queryOptions({ name: server.name }),
    enabled: useCanAsk(server, "prompts"),
    retry: false,
  });
  return (
    <OffersTab
      server={server}
      what="prompts"
      query={prompts}
      parameter="prompt"
      noun="prompt"
      hint="Fill in the arguments to see the messages a model receives."
      toOffer={({ name, title, description }) => ({ id: name, title: title ?? name, detail: description ?? name })}
    >
      {(open) => <PromptView key={open.name} server={server.name} prompt={open} />}
    </OffersTab>
  );
}
