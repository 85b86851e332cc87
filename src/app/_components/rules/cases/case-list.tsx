import { useQuery } from "@tanstack/react-query";
import { CircleCheck, CircleX, Plus } from "lucide-react";
import { useState } from "react";
import { EffectBadge, OutcomeBadge } from "@/app/_components/rules/summary/effect-badge";
import { ConfirmAction } from "@/app/_kit/confirm-action";
import { QueryState } from "@/app/_kit/query-state";
import { useLiveRefresh } from "@/app/_live/use-live-refresh";
import { client, trpc } from "@/app/_trpc/client";
import { Button } from "@/app/_ui/button";
import { cx } from "@/app/_ui/class-names";
import { FactList } from "@/app/_ui/fact-list";
import { Menu, MenuButton } from "@/app/_ui/menu";
import { onDemand } from "@/app/_ui/on-demand";
import type { RuleCase } from "@/lib/contract/rule-case";
import { formatCount, formatPlural } from "@/lib/format";
import { describeCaseCall } from "@/lib/format/rule-case-words";

const CaseDialog = onDemand(() => import("./case-dialog"), "CaseDialog");
const BARS = ["h-10", "h-10"];

type Opened = { kind: "new" } | { kind: "edit" | "delete"; of: RuleCase };

/** The cases of the rules, each with what the rules of now do with it. */
export function CaseList() {
  const query = useQuery(trpc.ruleCases.list.queryOptions());
  useLiveRefresh(query.refetch, ({ type }) => type === "rules" || type === "tools" || type === "reset");
  const [opened, setOpened] = useState<Opened | null>(null);
  const close = (): void => setOpened(null);
  return (
    <section aria-label="Cases" className="mx-4 mt-4 mb-6 flex min-w-0 flex-col gap-2">
      <div className="flex flex-wrap items-center gap-x-3 gap-y-1">
        <h2 className="font-medium">Cases</h2>
        {query.data !== undefined && query.data.length > 0 && <Summary cases={query.data} />}
        <Button icon={Plus} needs="edit" className="ml-auto" onClick={() => setOpened({ kind: "new" })}>
          Add case
        </Button>
      </div>
      <QueryState query={query} what="cases" bars={BARS}>
        {(cases) =>
          cases.length === 0 ? (
            <p className="max-w-prose text-mute">
              A case is a call and what the rules must do with it. Open an execution and choose{" "}
              <strong className="font-medium">Save as case</strong>;{" "}
              <code className="font-mono">toolroom rules test</code> checks all of them, also in CI.
            </p>
          ) : (
            <ul className="divide-y divide-line rounded-lg border border-line bg-panel">
              {cases.map((each) => (
                <CaseRow key={each.id} each={each} onOpen={setOpened} />
              ))}
            </ul>
          )
        }
      </QueryState>
      {opened?.kind === "new" && <CaseDialog onClose={close} />}
      {opened?.kind === "edit" && <CaseDialog key={opened.of.id} edited={opened.of} onClose={close} />}
      {opened?.kind === "delete" && <DeleteCase of={opened.of} onClose={close} />}
    </section>
  );
}

function Summary({ cases }: { cases: readonly RuleCase[] }) {
  const passed = cases.filter(({ result }) => result.status === "passed").length;
  return (
    <p role="status" className={cx("text-xs", passed === cases.length ? "text-mute" : "text-bad")}>
      {formatCount(passed)} of {formatPlural(cases.length, "case")} pass
    </p>
  );
}

function CaseRow({ each, onOpen }: { each: RuleCase; onOpen: (opened: Opened) => void }) {
  const { name, call, expect, result } = each;
  const isPassed = result.status === "passed";
  const Icon = isPassed ? CircleCheck : CircleX;
  return (
    <li data-case={name} className="flex min-w-0 items-start gap-2.5 px-3 py-2">
      <Icon aria-hidden size={15} className={cx("mt-0.5 shrink-0", isPassed ? "text-ok" : "text-bad")} />
      <div className="flex min-w-0 flex-1 flex-col gap-0.5">
        <p className="flex min-w-0 flex-wrap items-center gap-x-2 gap-y-1">
          <span className="font-medium [overflow-wrap:anywhere]">{name}</span>
          <span className="sr-only">{isPassed ? "passes" : "does not pass"}: expected</span>
          <OutcomeBadge outcome={expect.outcome} />
          {expect.effects?.map((effect) => (
            <EffectBadge key={effect} effect={effect} />
          ))}
          {result.outcome !== expect.outcome && (
            <>
              <span className="text-bad text-xs">got</span>
              <OutcomeBadge outcome={result.outcome} />
            </>
          )}
          {result.rule !== null && <span className="text-mute text-xs [overflow-wrap:anywhere]">by {result.rule}</span>}
        </p>
        <p dir="ltr" className="truncate font-mono text-mute text-xs">
          {describeCaseCall(call)}
        </p>
        {!isPassed && <Failure each={each} />}
      </div>
      <Menu
        trigger={<MenuButton label={`Actions for ${name}`} />}
        items={[
          { label: "Edit", needs: "edit", onSelect: () => onOpen({ kind: "edit", of: each }) },
          { label: "Delete", danger: true, needs: "edit", onSelect: () => onOpen({ kind: "delete", of: each }) },
        ]}
      />
    </li>
  );
}

/** Why a case does not pass: the rule that should have decided, notes, and what the conditions read. */
function Failure({ each: { expect, result } }: { each: RuleCase }) {
  return (
    <div className="flex flex-col gap-1 text-xs">
      {expect.rule !== undefined && expect.rule !== result.rule && (
        <p className="text-bad [overflow-wrap:anywhere]">Expected by {expect.rule}</p>
      )}
      {result.notes.map((note) => (
        <p key={note} className="text-bad [overflow-wrap:anywhere]">
          {note}
        </p>
      ))}
      {result.read.map(({ rule, values }) => (
        <div key={rule}>
          <p className="text-mute [overflow-wrap:anywhere]">{rule} read:</p>
          <FactList facts={Object.entries(values).map(([path, value]) => [path, JSON.stringify(value)])} />
        </div>
      ))}
    </div>
  );
}

function DeleteCase({ of: { id, name, lastEdit }, onClose }: { of: RuleCase; onClose: () => void }) {
  return (
    <ConfirmAction
      needs="edit"
      title={`Delete ${name}?`}
      description="The rules stay as they are. Their changes are not tested by this call any more."
      run={() => client.ruleCases.delete.mutate({ id, revision: lastEdit.revision })}
      stale={[trpc.ruleCases]}
      done={() => `${name} deleted`}
      onClose={onClose}
    />
  );
}
