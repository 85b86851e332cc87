"use client";

import { useSuspenseQuery } from "@tanstack/react-query";
import { useLiveRefresh } from "@/app/_live/use-live-refresh";
import { useTRPC } from "@/app/_trpc/client";
import { useDenial } from "@/app/_ui/access";
import { Card } from "@/app/_ui/card";
import { CopyButton } from "@/app/_ui/copy-button";
import { EmptyState } from "@/app/_ui/empty-state";
import { FactList } from "@/app/_ui/fact-list";
import type { StorageState } from "@/lib/contract/storage";
import { formatBytes, formatPlural, formatRate } from "@/lib/format";
import { BackupsSection } from "./backups-section";
import { RetentionSection } from "./retention-section";

/** Shows sizes, retention rules and backups to admins. */
export function StorageView() {
  const denial = useDenial("administer");
  if (denial !== null) return <EmptyState title="Only admins can manage storage">{denial}.</EmptyState>;
  return <StorageSections />;
}

function StorageSections() {
  const trpc = useTRPC();
  const storage = useSuspenseQuery(trpc.storage.get.queryOptions());
  const retention = useSuspenseQuery(
    trpc.retention.get.queryOptions(undefined, {
      // A sweep has no events of its own until it has ended.
      refetchInterval: ({ state }) => (state.data?.running === true ? 2_000 : false),
    }),
  );
  useLiveRefresh(
    () => Promise.all([storage.refetch(), retention.refetch()]),
    (event) => event.type === "system" || event.type === "reset",
  );
  return (
    <>
      <Sizes storage={storage.data} />
      <RetentionSection state={retention.data} />
      {storage.data.makesBackups && <BackupsSection storage={storage.data} />}
    </>
  );
}

function Sizes({ storage }: { storage: StorageState }) {
  const { databaseBytes, freeBytes, walBytes, disk, copies, copiesBytes, keyFile, releasesSpace } = storage;
  const { freeBytes: free = null, totalBytes: total = null } = disk ?? {};
  return (
    <Card title="Disk">
      <div className="px-3.5 py-3">
        <FactList
          className="sm:grid-cols-[14rem_minmax(0,1fr)]"
          valueClass="min-w-0"
          facts={[
            ["Database", `${formatBytes(databaseBytes)} at ${storage.location}`],
            ["Free pages in it", freeBytes !== null && `${formatBytes(freeBytes)}, used again by new calls`],
            ["Write-ahead log", walBytes !== null && formatBytes(walBytes)],
            [
              "Copies",
              storage.makesBackups
                ? `${formatBytes(copiesBytes)} in ${formatPlural(copies.length, "file")}`
                : "made by PostgreSQL's own tools: pg_dump --format=custom",
            ],
            ["Key of secrets", keyFile ?? "TOOLROOM_SECRET_KEY"],
            [
              "Disk",
              free !== null && total !== null && `${formatBytes(free)} free, ${formatRate(total - free, total)} used`,
            ],
          ]}
        />
        {!releasesSpace && (
          <p className="mt-2 text-mute text-xs">
            This database was made by an earlier version: retention frees pages in it, and the file keeps its size. To
            make it shorter, and let retention do so from then on, stop Toolroom and run once:{" "}
            <code className="font-mono text-text">toolroom compact</code>
            <CopyButton text="toolroom compact" label="Copy command" className="-my-1" />
          </p>
        )}
      </div>
    </Card>
  );
}
