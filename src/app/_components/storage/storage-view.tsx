"use client";

import { useSuspenseQuery } from "@tanstack/react-query";
import { useState } from "react";
import { ConfirmAction } from "@/app/_kit/confirm-action";
import { type Column, DataTable } from "@/app/_kit/data-table";
import { actionsColumn, figureColumn, textColumn, timeColumn } from "@/app/_kit/list/columns";
import { useAction } from "@/app/_kit/use-action";
import { useLiveRefresh } from "@/app/_live/use-live-refresh";
import { client, trpc } from "@/app/_trpc/client";
import { useDenial } from "@/app/_ui/access";
import { Alert } from "@/app/_ui/alert";
import { Button } from "@/app/_ui/button";
import { Card } from "@/app/_ui/card";
import { CopyButton } from "@/app/_ui/copy-button";
import { EmptyState } from "@/app/_ui/empty-state";
import { FactList } from "@/app/_ui/fact-list";
import type { DatabaseCopy, StorageState } from "@/lib/contract/storage";
import { formatBytes, formatPlural, formatRate } from "@/lib/format";
import { JobsSection } from "./jobs-section";
import { RetentionSection } from "./retention-section";

const KINDS: Record<DatabaseCopy["kind"], string> = {
  backup: "Backup",
  upgrade: "Before an upgrade",
  restore: "Before a restore",
};

/** Shows sizes, retention rules, backups and background jobs to admins. */
export function StorageView() {
  const denial = useDenial("administer");
  if (denial !== null) return <EmptyState title="Only admins can manage storage">{denial}.</EmptyState>;
  return <StorageSections />;
}

function StorageSections() {
  const storage = useSuspenseQuery(trpc.storage.get.queryOptions());
  const retention = useSuspenseQuery(
    trpc.retention.get.queryOptions(undefined, {
      // A deletion sends no events until it has ended.
      refetchInterval: ({ state }) => (state.data?.running === true ? 2_000 : false),
    }),
  );
  useLiveRefresh(() => Promise.all([storage.refetch(), retention.refetch()]), "system");
  return (
    <>
      <Sizes storage={storage.data} />
      <RetentionSection state={retention.data} />
      {storage.data.makesBackups && <BackupsSection storage={storage.data} />}
      <JobsSection />
    </>
  );
}

function Sizes({ storage }: { storage: StorageState }) {
  const { databaseBytes, freeBytes, walBytes, searchBytes, disk, copies, copiesBytes, keyFile, releasesSpace } =
    storage;
  const { freeBytes: free = null, totalBytes: total = null } = disk ?? {};
  return (
    <Card title="Disk">
      <div className="px-3.5 py-3">
        <FactList
          className="sm:grid-cols-[14rem_minmax(0,1fr)]"
          valueClass="min-w-0"
          facts={[
            ["Database", `${formatBytes(databaseBytes)} at ${storage.location}`],
            ["Reusable space", freeBytes !== null && formatBytes(freeBytes)],
            ["Write-ahead log", walBytes !== null && formatBytes(walBytes)],
            ["Search index", searchBytes !== null && formatBytes(searchBytes)],
            [
              "Backups",
              storage.makesBackups
                ? `${formatBytes(copiesBytes)} in ${formatPlural(copies.length, "file")}`
                : "made by PostgreSQL's own tools: pg_dump --format=custom",
            ],
            ["Encryption key", keyFile ?? "TOOLROOM_SECRET_KEY"],
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

/** The backups of the database on its disk. */
function BackupsSection({ storage }: { storage: StorageState }) {
  const [deleting, setDeleting] = useState<DatabaseCopy | null>(null);
  const stale = [trpc.storage.get];
  const backup = useAction(trpc.storage.backUp, {
    stale,
    done: ({ name, bytes }) => `Saved ${formatBytes(bytes)} in ${name}`,
    failed: "Couldn't back up",
  });
  const isBusy = backup.isPending || storage.backupRunning;
  const columns: readonly Column<DatabaseCopy>[] = [
    textColumn(
      "File",
      ({ name, file }) => (
        <span className="inline-flex max-w-full items-center gap-1">
          <span className="font-mono text-xs" title={file}>
            {name}
          </span>
          <CopyButton text={file} label={`Copy the path of ${name}`} className="-my-1" />
        </span>
      ),
      { cellClass: "[overflow-wrap:anywhere]" },
    ),
    textColumn("Kind", ({ kind }) => KINDS[kind], { from: "sm" }),
    figureColumn("Size", ({ bytes }) => formatBytes(bytes)),
    textColumn("Key", ({ hasKey }) => (hasKey ? "beside it" : "not beside it"), { from: "sm", className: "pl-3" }),
    timeColumn("Made", ({ at }) => at, { from: "sm" }),
    actionsColumn(
      (copy) => (
        <Button variant="ghost" needs="administer" aria-label={`Delete ${copy.name}`} onClick={() => setDeleting(copy)}>
          Delete
        </Button>
      ),
      { head: "Delete", className: "pr-3.5" },
    ),
  ];
  return (
    <Card
      title="Backups"
      about={
        <>
          A backup is the database with its key, as <code className="font-mono">&lt;file&gt;.key</code>, which decrypts
          the secrets in it: keep both private, and on another disk.{" "}
          <code className="font-mono">toolroom restore &lt;file&gt;</code> brings one back.
        </>
      }
      action={
        <Button needs="administer" disabled={isBusy} onClick={() => backup.mutate()}>
          {isBusy ? "Backing up…" : "Back up now"}
        </Button>
      }
    >
      {backup.problem !== null && <Alert live tone="bad" title={backup.problem} className="m-3" />}
      {backup.data?.keyFile === null && (
        <Alert tone="warn" title="The key is not in this backup" className="m-3">
          TOOLROOM_SECRET_KEY is the key. Keep it too, or the secrets in the backup cannot be read.
        </Alert>
      )}
      {storage.copies.length === 0 ? (
        <p className="px-3.5 py-3 text-mute">No backups yet.</p>
      ) : (
        <DataTable
          label="Copies of the database"
          look="panel"
          columns={columns}
          rows={storage.copies}
          toKey={({ file }) => file}
          step={10}
        />
      )}
      {deleting !== null && (
        <ConfirmAction
          needs="administer"
          title={`Delete ${deleting.name}?`}
          description={`Frees ${formatBytes(deleting.bytes)}. Its key is deleted with it. This cannot be undone.`}
          run={() => client.storage.deleteCopy.mutate({ name: deleting.name })}
          stale={stale}
          done={`${deleting.name} deleted`}
          onClose={() => setDeleting(null)}
        />
      )}
    </Card>
  );
}
