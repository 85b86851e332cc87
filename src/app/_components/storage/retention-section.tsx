import { useSuspenseQuery } from "@tanstack/react-query";
import { useId, useState } from "react";
import { SOURCE_LABELS, SOURCES } from "@/app/_components/executions/summary/execution-labels";
import { useSuggestedTools } from "@/app/_components/tools/summary/use-suggested-tools";
import { type Column, DataTable } from "@/app/_kit/data-table";
import { type EditableRow, RemoveRow, RowList } from "@/app/_kit/form/row-list";
import { FieldProblems } from "@/app/_kit/form-field";
import { countColumn, figureColumn, timeColumn } from "@/app/_kit/list/columns";
import { useAction } from "@/app/_kit/use-action";
import { useDraft } from "@/app/_kit/use-draft";
import { useLeaveGuard } from "@/app/_kit/use-leave-guard";
import { trpc } from "@/app/_trpc/client";
import { Alert } from "@/app/_ui/alert";
import { Button } from "@/app/_ui/button";
import { Card } from "@/app/_ui/card";
import { Input, NativeSelect } from "@/app/_ui/field";
import { onDemand } from "@/app/_ui/on-demand";
import type { RetentionPolicy, RetentionState, RetentionSweep } from "@/lib/contract/retention";
import { formatBytes, formatDuration } from "@/lib/format";
import { NEW_RULE, type RuleRow, SCOPE_LABELS, toPolicy, toRows } from "./retention-draft";

const COLUMNS: readonly Column<RetentionSweep>[] = [
  timeColumn("Run", ({ startedAt }) => startedAt),
  countColumn("Calls", ({ executions }) => executions),
  countColumn("Runs", ({ runs }) => runs),
  figureColumn("Deleted", ({ bytes }) => formatBytes(bytes)),
  figureColumn("Freed on disk", ({ releasedBytes }) => formatBytes(releasedBytes), { from: "sm" }),
  figureColumn(
    "Took",
    ({ startedAt, finishedAt, error }) =>
      error === null ? (
        formatDuration(finishedAt - startedAt)
      ) : (
        <span className="text-bad" title={error}>
          failed: {error}
        </span>
      ),
    { from: "sm" },
  ),
];

const SaveRetentionDialog = onDemand(() => import("./save-retention-dialog"), "SaveRetentionDialog");

const SCOPES = Object.entries(SCOPE_LABELS);
const RUN_SOURCES = [
  ["", "All runs"],
  ["agent", "Playground"],
  ["api", "API"],
  ["background", "Background queries"],
  ["check", "Evals"],
] as const;
const NUMBERS = [
  { part: "days", label: "Older than (days)" },
  { part: "count", label: "Keep at most (calls)" },
  { part: "size", label: "Keep at most (MiB)" },
] as const;

/** Edits the retention rules and lists the latest deletions. */
export function RetentionSection({ state }: { state: RetentionState }) {
  const draft = useDraft(() => ({ rules: toRows(state.policy) }), {
    base: String(state.revision),
    toSaved: ({ rules }) => rules.map(({ read: _read, ...rule }) => rule),
  });
  const [shownProblems, setShownProblems] = useState<string[][]>([]);
  const [reviewed, setReviewed] = useState<RetentionPolicy | null>(null);
  const sweeping = useAction(trpc.retention.sweepNow, {
    stale: [trpc.retention.get],
    done: "Deleting old calls",
    failed: "Couldn't delete old calls",
  });
  useLeaveGuard(draft.dirty);
  const review = (): void => {
    const read = toPolicy(draft.draft.rules);
    setShownProblems("problems" in read ? read.problems : []);
    if ("policy" in read) setReviewed(read.policy);
  };
  const { rules } = state.policy;
  return (
    <Card
      title="Retention"
      about="Deletes calls and runs by rules. Without rules, nothing is deleted."
      action={
        rules.length > 0 && (
          <Button needs="administer" disabled={state.running || sweeping.isPending} onClick={() => sweeping.mutate()}>
            {state.running ? "Sweeping…" : "Run now"}
          </Button>
        )
      }
    >
      <form
        noValidate
        className="flex flex-col gap-3 px-3.5 py-3"
        onSubmit={(event) => {
          event.preventDefault();
          review();
        }}
      >
        {sweeping.problem !== null && <Alert live tone="bad" title={sweeping.problem} />}
        {draft.conflict !== null && (
          <Alert tone="warn" title="The rules have changed since you opened this page">
            <Button onClick={draft.discard}>Show the saved rules</Button>
          </Alert>
        )}
        <RowList
          legend="Rules"
          dataKey="rules"
          hint="The most specific rule decides: tool, then server, then source, then all other calls. A rule without limits keeps everything. Pinned calls, calls that run or need approval, and what they refer to always stay; calls of a run go with the run."
          problems={[]}
          addLabel="Add rule"
          rows={draft.draft.rules}
          newRow={() => NEW_RULE}
          onChange={(changed) => draft.change({ rules: changed })}
        >
          {(editable) => <RuleFields {...editable} problems={shownProblems[editable.at] ?? []} />}
        </RowList>
        <div className="flex flex-wrap items-center gap-2">
          <Button type="submit" variant="primary" size="md" needs="administer" disabled={!draft.dirty}>
            Review and save…
          </Button>
          {draft.dirty && (
            <Button size="md" onClick={draft.discard}>
              Discard changes
            </Button>
          )}
        </div>
      </form>
      <SweepList sweeps={state.sweeps} />
      {reviewed !== null && (
        <SaveRetentionDialog
          policy={reviewed}
          revision={state.revision}
          onSaved={(saved) => draft.settle({ rules: toRows(saved.policy) })}
          onClose={() => setReviewed(null)}
        />
      )}
    </Card>
  );
}

function RuleFields({ row, at, edit, remove, problems }: EditableRow<RuleRow> & { problems: readonly string[] }) {
  const id = useId();
  const hidden = <span className="sr-only"> of rule {at + 1}</span>;
  return (
    <div className="grid grid-cols-[minmax(0,1fr)_auto] gap-2">
      <div className="grid grid-cols-2 gap-2 md:grid-cols-[9rem_minmax(8rem,1fr)_repeat(3,8rem)]">
        <div className="min-w-0 max-md:col-span-2">
          <label htmlFor={`${id}-scope`} className="text-mute text-xs">
            Applies to{hidden}
          </label>
          <NativeSelect
            id={`${id}-scope`}
            value={row.scope}
            options={SCOPES}
            onChange={({ target }) => edit({ scope: target.value as RuleRow["scope"], name: "" })}
          />
        </div>
        <div className="min-w-0 max-md:col-span-2">
          <NameField {...{ row, edit, id: `${id}-name`, hidden }} />
        </div>
        {NUMBERS.map(({ part, label }) => (
          <div key={part} className="min-w-0">
            <label htmlFor={`${id}-${part}`} className="text-mute text-xs">
              {label}
              {hidden}
            </label>
            <Input
              id={`${id}-${part}`}
              inputMode={part === "size" ? "decimal" : "numeric"}
              placeholder="No limit"
              value={row[part]}
              autoComplete="off"
              onChange={({ target }) => edit({ [part]: target.value })}
            />
          </div>
        ))}
      </div>
      <RemoveRow className="mt-5" label={`Remove rule ${at + 1}`} onRemove={remove} />
      <FieldProblems id={`${id}-rule`} problems={problems} />
    </div>
  );
}

interface NameFieldProps extends Pick<EditableRow<RuleRow>, "row" | "edit"> {
  id: string;
  hidden: React.ReactNode;
}

/** The tool, server or source that a rule is about. A name may be of something that is gone: its calls are still there. */
function NameField({ row: { scope, name }, edit, id, hidden }: NameFieldProps) {
  const tools = useSuggestedTools(name, { enabled: scope === "tool" });
  const { data: servers } = useSuspenseQuery(trpc.servers.names.queryOptions());
  if (scope === "other") return null;
  const label = (
    <label htmlFor={id} className="text-mute text-xs">
      {scope === "runs" ? "Source" : SCOPE_LABELS[scope]}
      {hidden}
    </label>
  );
  if (scope === "source" || scope === "runs") {
    const sources = [["", "Choose"] as const, ...SOURCES.map((source) => [source, SOURCE_LABELS[source]] as const)];
    return (
      <>
        {label}
        <NativeSelect
          id={id}
          value={name}
          options={scope === "runs" ? RUN_SOURCES : sources}
          onChange={({ target }) => edit({ name: target.value })}
        />
      </>
    );
  }
  const names = scope === "tool" ? tools.map((tool) => tool.name) : servers;
  return (
    <>
      {label}
      <Input
        id={id}
        list={`${id}-known`}
        value={name}
        spellCheck={false}
        autoCapitalize="off"
        autoComplete="off"
        className="font-mono text-xs!"
        onChange={({ target }) => edit({ name: target.value })}
      />
      <datalist id={`${id}-known`}>
        {names.map((known) => (
          <option key={known} value={known} />
        ))}
      </datalist>
    </>
  );
}

/** The last deletion, and those that deleted calls or failed. */
function SweepList({ sweeps }: { sweeps: readonly RetentionSweep[] }) {
  if (sweeps.length === 0) return null;
  return (
    <div className="border-line border-t">
      <DataTable
        label="Sweeps"
        look="panel"
        columns={COLUMNS}
        rows={sweeps}
        toKey={({ startedAt }) => String(startedAt)}
        step={5}
      />
    </div>
  );
}
