"use client";

import { useState } from "react";
import { ShowMore } from "@/app/_ui/show-more";
import type { ServerSummary } from "@/lib/contract/server";
import { ServerRow } from "./server-row";
import type { ServerActions } from "./use-server-actions";

/** Rows put on the page at once. */
const STEP = 100;

export function ServerTable({ servers, actions }: { servers: readonly ServerSummary[]; actions: ServerActions }) {
  const [limit, setLimit] = useState(STEP);
  const rest = servers.length - limit;
  return (
    <>
      <table className="mt-1.5 w-full border-collapse bg-panel text-left text-sm">
        <caption className="sr-only">Servers</caption>
        <thead>
          <tr className="border-line border-y text-mute text-xs max-md:sr-only">
            <th scope="col" className="py-1.5 pr-3 pl-4 font-medium max-md:hidden">
              State
            </th>
            <th scope="col" className="py-1.5 pr-3 font-medium">
              Name
            </th>
            <th scope="col" className="py-1.5 pr-3 font-medium max-md:hidden">
              Command or address
            </th>
            <th scope="col" className="py-1.5 pr-3 font-medium max-md:hidden">
              Transport
            </th>
            <th scope="col" className="py-1.5 pr-6 text-right font-medium max-md:hidden">
              Tools
            </th>
            <th scope="col" className="whitespace-nowrap py-1.5 pr-3 font-medium max-lg:hidden">
              Last change
            </th>
            <th scope="col" className="py-1.5 pr-3">
              <span className="sr-only">Actions</span>
            </th>
          </tr>
        </thead>
        {servers.slice(0, limit).map((server) => (
          <ServerRow key={server.name} server={server} actions={actions} />
        ))}
      </table>
      <ShowMore rest={rest} onMore={() => setLimit(limit + STEP)} />
    </>
  );
}
