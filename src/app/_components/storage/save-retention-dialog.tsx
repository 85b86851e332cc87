import { useQuery } from "@tanstack/react-query";
import { type Column, DataTable } from "@/app/_kit/data-table";
import { FormDialog } from "@/app/_kit/form-dialog";
import { countColumn, figureColumn, textColumn } from "@/app/_kit/list/columns";
import { QueryState } from "@/app/_kit/query-state";
import { useAction } from "@/app/_kit/use-action";
import { client, trpc } from "@/app/_trpc/client";
import { DateOnly } from "@/app/_ui/date-only";
import type { RetentionFinding, RetentionPolicy, RetentionState } from "@/lib/contract/retention";
import { formatBytes, formatCount, formatPlural } from "@/lib/format";
import { describeScope } from "./retention-draft";

interface SaveRetentionDialogProps {
  policy: RetentionPolicy;
  revision: number;
  onSaved: (saved: RetentionState) => void;
  onClose: () => void;
}

const COLUMNS: readonly Column<RetentionFinding>[] = [
  textColumn("Rule", ({ rule }) => <bdi>{describeScope(rule)}</bdi>, {
    className: "pl-0!",
    cellClass: "[overflow-wrap:anywhere]",
  }),
  figureColumn("Deletes", ({ deletes }) => (
    <span className={deletes.count > 0 ? "text-bad" : "text-mute"}>
      {formatCount(deletes.count)}
      {deletes.count > 0 && ` (${formatBytes(deletes.bytes)})`}
    </span>
  )),
  countColumn("Keeps", ({ keeps }) => keeps.count),
  countColumn("Exempt", ({ exempt }) => exempt, {
    headTitle: "Pinned, running, or named by something that stays",
    from: "sm",
  }),
  figureColumn("Oldest kept", ({ oldestKeptAt }) => (oldestKeptAt === null ? "–" : <DateOnly at={oldestKeptAt} />), {
    from: "sm",
  }),
];

/** Shows which calls a policy deletes before it is saved. */
export function SaveRetentionDialog({ policy, revision, onSaved, onClose }: SaveRetentionDialogProps) {
  const preview = useQuery({
    queryKey: ["retention preview", policy],
    queryFn: () => client.retention.preview.mutate({ policy }),
    gcTime: 0,
    staleTime: Number.POSITIVE_INFINITY,
  });
  const saving = useAction(trpc.retention.save, {
    stale: [trpc.retention.get],
    done: "Retention rules saved",
    onDone: (saved) => {
      onSaved(saved);
      onClose();
    },
  });
  const total = sum(preview.data?.findings ?? []);
  const deletes = total.calls + total.runs > 0;
  return (
    <FormDialog
      needs="administer"
      title="Save these rules?"
      size="lg"
      description={
        policy.rules.length === 0
          ? "Without rules, nothing is deleted from now on."
          : "What these rules find now. Deletion begins after saving, and continues every hour. It cannot be undone."
      }
      variant={deletes ? "danger" : "primary"}
      submitLabel={deletes ? `Save and delete ${describeTotal(total)}` : "Save"}
      action={saving}
      disabled={preview.data === undefined}
      onSubmit={() => saving.mutate({ policy, revision })}
      onClose={onClose}
    >
      {policy.rules.length > 0 && (
        <QueryState query={preview} what="the preview" bars={["h-6", "h-6"]}>
          {({ findings }) => (
            <DataTable
              label="What the rules delete now"
              look="panel"
              columns={COLUMNS}
              rows={findings}
              toKey={({ rule }) => describeScope(rule)}
            />
          )}
        </QueryState>
      )}
    </FormDialog>
  );
}

function sum(findings: readonly RetentionFinding[]) {
  const total = { calls: 0, runs: 0, bytes: 0 };
  for (const { rule, deletes } of findings) {
    total[rule.scope === "runs" ? "runs" : "calls"] += deletes.count;
    total.bytes += deletes.bytes;
  }
  return total;
}

function describeTotal({ calls, runs, bytes }: ReturnType<typeof sum>): string {
  const parts = [calls > 0 && formatPlural(calls, "call"), runs > 0 && formatPlural(runs, "run")].filter(Boolean);
  return `${parts.join(" and ")} (${formatBytes(bytes)})`;
}
