"use client";

import { useQuery } from "@tanstack/react-query";
import { parseAsString, useQueryStates } from "nuqs";
import { AskedList, canAsk } from "@/app/_components/servers/detail/offers/asked-list";
import { OfferList } from "@/app/_components/servers/detail/offers/offer-list";
import { useTRPC } from "@/app/_trpc/client";
import { useDenial } from "@/app/_ui/access";
import { Badge } from "@/app/_ui/badge";
import { EmptyState } from "@/app/_ui/empty-state";
import type { ServerDetail, ServerResource } from "@/lib/contract/server";
import { ResourceView } from "./resource-view";

/** What the server lets be read. The open one is in the address. */
export function ResourcesTab({ server }: { server: ServerDetail }) {
  const trpc = useTRPC();
  const resources = useQuery({
    ...trpc.content.resources.queryOptions({ name: server.name }),
    enabled: useDenial("run") === null && canAsk(server, "resources"),
    retry: false,
  });
  return (
    <AskedList server={server} what="resources" query={resources}>
      {(items) => <Resources server={server} resources={items} />}
    </AskedList>
  );
}

function Resources({ server, resources }: { server: ServerDetail; resources: readonly ServerResource[] }) {
  const [{ uri, q }, setAddress] = useQueryStates({ uri: parseAsString, q: parseAsString.withDefault("") });
  const open = resources.find((resource) => resource.uri === uri);
  return (
    <div className="grid min-h-0 flex-1 grid-cols-1 max-lg:auto-rows-max lg:grid-cols-[minmax(16rem,24rem)_minmax(0,1fr)] lg:overflow-hidden">
      <div className="flex min-h-0 flex-col border-line lg:border-r">
        <OfferList
          label="resources"
          offers={resources.map(({ uri: id, name, title, mimeType, template }) => ({
            id,
            title: title ?? name,
            detail: id,
            badge: template ? (
              <Badge tone="accent">template</Badge>
            ) : (
              mimeType !== null && <Badge className="max-w-32 shrink truncate">{mimeType}</Badge>
            ),
          }))}
          selected={uri}
          onSelect={(next) => void setAddress({ uri: next })}
          search={q}
          onSearch={(next) => void setAddress({ q: next === "" ? null : next })}
        />
      </div>
      {open === undefined ? (
        <EmptyState heading="h2" title={uri === null ? "Choose a resource" : "The server doesn't list this resource"}>
          {uri === null ? "A resource is read when you open it." : <span className="font-mono text-xs">{uri}</span>}
        </EmptyState>
      ) : (
        <ResourceView key={open.uri} server={server.name} resource={open} />
      )}
    </div>
  );
}
