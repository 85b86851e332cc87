"use client";

import { useQuery, useSuspenseQuery } from "@tanstack/react-query";
import { ArrowDown, ArrowUp, Lock, Plus } from "lucide-react";
import { useRouter } from "next/navigation";
import { type KeyboardEvent, type RefObject, useEffect, useRef, useState } from "react";
import { EffectBadge } from "@/app/_components/rules/summary/effect-badge";
import { NEW_RULE, toMatchesPath, toRulePath } from "@/app/_components/rules/summary/rule-paths";
import { useCallerNames } from "@/app/_components/rules/summary/use-caller-names";
import { ConfirmAction } from "@/app/_kit/confirm-action";
import type { Column } from "@/app/_kit/data-table";
import { actionsColumn, countColumn, nameColumn, statusColumn, textColumn } from "@/app/_kit/list/columns";
import { ResourceList } from "@/app/_kit/list/resource-list";
import { guess, useAction } from "@/app/_kit/use-action";
import { useNow } from "@/app/_kit/use-now";
import { useLiveRefresh } from "@/app/_live/use-live-refresh";
import { client, trpc } from "@/app/_trpc/client";
import { ActionProblem } from "@/app/_ui/action-problem";
import { Badge } from "@/app/_ui/badge";
import { Button, ButtonLink, IconButton } from "@/app/_ui/button";
import { EmptyState } from "@/app/_ui/empty-state";
import { NativeSelect } from "@/app/_ui/field";
import { Link } from "@/app/_ui/link";
import { Menu, MenuButton } from "@/app/_ui/menu";
import { onDemand } from "@/app/_ui/on-demand";
import { PageHeader } from "@/app/_ui/page-header";
import type { Permission } from "@/lib/contract/access";
import type { CallRule, CallRuleInput } from "@/lib/contract/call-rule";
import { permissionForRules } from "@/lib/contract/call-rule-access";
import { RULE_STATES, type RuleState } from "@/lib/contract/call-rule-words";
import { formatPlural } from "@/lib/format";
import { describeBrokenCases } from "@/lib/format/rule-case-words";
import { countRecordingDays, isReviewDue } from "@/lib/rules/rule-review";
import { describeRule, STATE_LABELS } from "@/lib/rules/rule-words";
import { SPEND_PATH } from "../spend/spend-params";
import { type BuiltInRule, listBuiltInRules } from "./built-in-rules";

const CaseList = onDemand(() => import("../cases/case-list"), "CaseList");
const TryCall = onDemand(() => import("../explain/try-call"), "TryCall");
const LimitUsage = onDemand(() => import("./limit-usage"), "LimitUsage");

const HOUR_MS = 3_600_000;
const MEANING =
  "The first rule that asks, denies or allows decides, then the approval settings. Every rule with another effect applies; of routes, the first.";

/** A rule, or a setting of approvals below all rules. */
type Row = { kind: "rule"; rule: CallRule } | { kind: "built-in"; rule: BuiltInRule };

/** Lists the rules in their order, then the approval settings that decide all other calls. */
export function RulesView() {
  const { data: rules, refetch } = useSuspenseQuery(trpc.rules.list.queryOptions());
  const { data: groups = [] } = useQuery(trpc.tools.approvalGroups.queryOptions());
  const { data: toolsets = [] } = useQuery(trpc.toolsets.list.queryOptions());
  const now = useNow(HOUR_MS);
  useLiveRefresh(refetch, ({ type }) => type === "rules" || type === "reset");
  const [problem, setProblem] = useState<string | null>(null);
  const [deleted, setDeleted] = useState<CallRule | null>(null);
  const [isTrying, setIsTrying] = useState(false);
  const order = useOrder(rules, setProblem);
  const names = useCallerNames(rules.some(({ caller }) => caller.users.length > 0));
  const rows: Row[] = [
    ...rules.map((rule): Row => ({ kind: "rule", rule })),
    ...listBuiltInRules(groups, toolsets).map((rule): Row => ({ kind: "built-in", rule })),
  ];
  return (
    <div ref={order.list}>
      <PageHeader
        title="Rules"
        actions={
          <>
            <ButtonLink href={SPEND_PATH}>Spend</ButtonLink>
            <Button onClick={() => setIsTrying(true)}>Try a call</Button>
            <ButtonLink icon={Plus} needs="edit" variant="primary" href={toRulePath(NEW_RULE)}>
              New rule
            </ButtonLink>
          </>
        }
      />
      {rules.length === 0 && <NoRules />}
      <p role="status" className="sr-only">
        {order.news}
      </p>
      <div className="px-4 pt-2 empty:hidden">
        <ActionProblem problem={problem} onDismiss={() => setProblem(null)} />
      </div>
      <ResourceList
        label="Rules"
        look="catalog"
        status={
          rules.length === 0
            ? "Without rules, these settings decide:"
            : `${formatPlural(rules.length, "rule")}. ${MEANING}`
        }
        columns={buildColumns({ rules, names, order, now, onDelete: setDeleted, report: setProblem })}
        rows={rows}
        toKey={({ kind, rule }) => (kind === "rule" ? rule.id : `${rule.name} ${rule.sentence}`)}
        rowProps={(row) => (row.kind === "rule" ? { onKeyDown: (event) => order.onKeyDown(event, row.rule) } : {})}
        empty={null}
      />
      {rules.some(({ effect, state }) => effect.kind === "limit" && state !== "off") && <LimitUsage rules={rules} />}
      <CaseList />
      {isTrying && <TryCall onClose={() => setIsTrying(false)} />}
      {deleted !== null && <DeleteRule rule={deleted} rules={rules} onClose={() => setDeleted(null)} />}
    </div>
  );
}

function NoRules() {
  return (
    <EmptyState
      heading="h2"
      title="No rules yet"
      next={{ href: toRulePath(NEW_RULE), text: "New rule", needs: "edit" }}
      action={<ButtonLink href="/executions">Choose a call</ButtonLink>}
    >
      A rule allows, denies or asks by what a call contains: its arguments, its caller, the hour. Before it is saved you
      see which calls of the last days it would have changed. A rule can also be made from a recorded call.
    </EmptyState>
  );
}

interface Order {
  list: RefObject<HTMLDivElement | null>;
  /** What the last move did, for screen readers. */
  news: string;
  move: (rule: CallRule, by: 1 | -1, button: string) => void;
  onKeyDown: (event: KeyboardEvent, rule: CallRule) => void;
}

/** Moves rules. The focus stays with the rule that moves. */
function useOrder(rules: readonly CallRule[], report: (problem: string | null) => void): Order {
  const list = useRef<HTMLDivElement>(null);
  const [news, setNews] = useState("");
  const [focused, setFocused] = useState<{ id: string; part: string } | null>(null);
  const moving = useAction(trpc.rules.move.mutationOptions(), {
    stale: [trpc.rules.list.queryKey(), trpc.ruleCases],
    done: ({ brokenCases }) => describeBrokenCases(brokenCases) || null,
    failed: () => "Couldn't move the rule",
    report,
    guesses: ({ id, position }) => [guess(trpc.rules.list.queryKey(), (known) => moveRule(known, id, position))],
  });
  const place = rules.findIndex(({ id }) => id === focused?.id);
  // Outside system: the keyboard focus, which a moved row may lose.
  useEffect(() => {
    if (focused === null || place === -1) return;
    const row = list.current?.querySelector(`[data-rule="${CSS.escape(focused.id)}"]`)?.closest("tr");
    const { activeElement } = document;
    if (activeElement !== document.body && !row?.contains(activeElement)) return;
    const part = row?.querySelector<HTMLElement>(`[data-part="${focused.part}"]:not(:disabled)`);
    part?.focus();
    // On a phone the buttons are in a menu.
    if (part === null || document.activeElement !== part) row?.querySelector<HTMLElement>("[data-row]")?.focus();
  }, [focused, place]);
  const move: Order["move"] = (rule, by, part) => {
    const position = rule.position + by;
    if (position < 1 || position > rules.length || moving.isPending) return;
    setFocused({ id: rule.id, part });
    setNews(`${rule.name} is at position ${position} of ${rules.length}`);
    moving.mutate({ id: rule.id, position });
  };
  const onKeyDown: Order["onKeyDown"] = (event, rule) => {
    // A choice opens with these keys.
    const isChoice = event.target instanceof HTMLSelectElement;
    if (!event.altKey || isChoice || (event.key !== "ArrowUp" && event.key !== "ArrowDown")) return;
    event.preventDefault();
    move(rule, event.key === "ArrowUp" ? -1 : 1, "name");
  };
  return { list, news, move, onKeyDown };
}

/** The rules with one of them at another position from 1. */
function moveRule(rules: readonly CallRule[], id: string, position: number): CallRule[] {
  const moved = rules.find((rule) => rule.id === id);
  if (moved === undefined) return [...rules];
  const others = rules.filter((rule) => rule !== moved);
  return others.toSpliced(position - 1, 0, moved).map((rule, at) => ({ ...rule, position: at + 1 }));
}

interface ColumnParts {
  rules: readonly CallRule[];
  /** Of users, by their id. */
  names: ReadonlyMap<string, string>;
  order: Order;
  /** Null in the server's HTML. */
  now: number | null;
  onDelete: (rule: CallRule) => void;
  report: (problem: string | null) => void;
}

function buildColumns({ rules, names, order, now, onDelete, report }: ColumnParts): Column<Row>[] {
  return [
    textColumn<Row>(
      "Position",
      ({ kind, rule }) =>
        kind === "rule" ? rule.position : <Lock aria-label="Built-in" size={13} strokeWidth={1.6} className="mt-1" />,
      { headHidden: true, cellClass: "w-8 text-mute tabular-nums" },
    ),
    nameColumn<Row>("Rule", {
      name: ({ rule }) => rule.name,
      href: ({ kind, rule }) => (kind === "rule" ? toRulePath(rule.id) : rule.href),
      plain: true,
      cellClass: "w-full md:max-w-none!",
      marks: ({ kind, rule }) =>
        kind === "rule" ? (
          <span data-rule={rule.id} className="flex flex-wrap gap-1.5">
            <EffectBadge effect={rule.effect.kind} />
            {rule.unevaluable > 0 && (
              <Badge tone="warn" title="Since the server started">
                {formatPlural(rule.unevaluable, "call")} not evaluated
              </Badge>
            )}
            {now !== null && isReviewDue(rule, now) && (
              <span className="text-mute text-xs" title="Open the rule to see what it would have done">
                recording for {formatPlural(countRecordingDays(rule, now), "day")}, results not looked at
              </span>
            )}
          </span>
        ) : (
          <span className="flex gap-1.5">
            <EffectBadge effect={rule.effect} />
            <Badge>built-in</Badge>
          </span>
        ),
      about: ({ kind, rule }) => (kind === "rule" ? describeRule(rule, names) : rule.sentence),
    }),
    countColumn<Row>("Matched in 7 days", ({ kind, rule }) => (kind === "rule" ? rule.matched : null), {
      noun: "matched call",
      from: "sm",
      href: ({ kind, rule }) => (kind === "rule" ? toMatchesPath(rule.id) : rule.href),
    }),
    statusColumn<Row>(
      "State",
      (row) => row.kind === "rule" && <StateSelect rules={rules} report={report} rule={row.rule} />,
      {
        from: "sm",
        phone: ({ kind, rule }) => (kind === "rule" ? STATE_LABELS[rule.state] : null),
        cellClass: "py-0.5!",
      },
    ),
    actionsColumn<Row>((row) =>
      row.kind === "rule" ? (
        <RuleActions rules={rules} order={order} onDelete={onDelete} report={report} rule={row.rule} />
      ) : (
        <Link
          href={row.rule.href}
          aria-label={`Settings: ${row.rule.name}`}
          className="text-mute text-xs leading-7 hover:underline max-sm:hidden"
        >
          Settings
        </Link>
      ),
    ),
  ];
}

/** What it takes to put another rule in a rule's place, or to take it away. */
function permissionFor(rules: readonly CallRule[], id: string, input: CallRuleInput | null): Permission {
  const after = rules.flatMap((rule) => (rule.id !== id ? rule : input === null ? [] : { ...rule, ...input }));
  return permissionForRules(rules, after);
}

interface RuleProps {
  rule: CallRule;
  rules: readonly CallRule[];
}

/** Switches a rule on or off, or lets it only record. */
function useRuleState({ rule, rules, report }: RuleProps & Pick<ColumnParts, "report">) {
  const { id, name, scope, caller, condition, fallback, effect, lastEdit } = rule;
  const switching = useAction(trpc.rules.update.mutationOptions(), {
    stale: [trpc.rules, trpc.ruleCases],
    done: ({ brokenCases }) => describeBrokenCases(brokenCases) || null,
    failed: () => `Couldn't change ${name}`,
    report,
  });
  const input = { name, scope, caller, condition, fallback, effect };
  const permissions = RULE_STATES.map((state) => permissionFor(rules, id, { ...input, state }));
  return {
    needs: permissions.includes("administer") ? ("administer" as const) : ("edit" as const),
    shown: switching.isPending ? switching.variables.rule.state : rule.state,
    isPending: switching.isPending,
    set: (state: RuleState) => switching.mutate({ id, rule: { ...input, state }, revision: lastEdit.revision }),
  };
}

function StateSelect(props: RuleProps & Pick<ColumnParts, "report">) {
  const { needs, shown, isPending, set } = useRuleState(props);
  return (
    <NativeSelect
      needs={needs}
      aria-label={`State of ${props.rule.name}`}
      className="min-w-30"
      value={shown}
      disabled={isPending}
      options={RULE_STATES.map((each) => [each, STATE_LABELS[each]])}
      onChange={({ target }) => set(target.value as RuleState)}
    />
  );
}

function RuleActions({ order, onDelete, ...state }: RuleProps & Omit<ColumnParts, "rules" | "names" | "now">) {
  const { rule, rules } = state;
  const router = useRouter();
  const { needs, shown, isPending, set } = useRuleState(state);
  const { id, name, position } = rule;
  const permissionAt = (by: 1 | -1) => permissionForRules(rules, moveRule(rules, id, position + by));
  return (
    <span className="flex justify-end">
      <IconButton
        icon={ArrowUp}
        label={`Move ${name} up`}
        data-part="up"
        className="max-sm:hidden"
        needs={permissionAt(-1)}
        disabled={position === 1}
        onClick={() => order.move(rule, -1, "up")}
      />
      <IconButton
        icon={ArrowDown}
        label={`Move ${name} down`}
        data-part="down"
        className="max-sm:hidden"
        needs={permissionAt(1)}
        disabled={position === rules.length}
        onClick={() => order.move(rule, 1, "down")}
      />
      <Menu
        trigger={<MenuButton label={`Actions for ${name}`} />}
        items={[
          { label: "Edit", onSelect: () => router.push(toRulePath(id)) },
          { label: "Show matched calls", onSelect: () => router.push(toMatchesPath(id)) },
          ...RULE_STATES.filter((each) => each !== shown).map((each) => ({
            label: STATE_LABELS[each],
            onPhone: true,
            needs,
            disabled: isPending,
            onSelect: () => set(each),
          })),
          {
            label: "Move up",
            onPhone: true,
            needs: permissionAt(-1),
            disabled: position === 1,
            onSelect: () => order.move(rule, -1, "up"),
          },
          {
            label: "Move down",
            onPhone: true,
            needs: permissionAt(1),
            disabled: position === rules.length,
            onSelect: () => order.move(rule, 1, "down"),
          },
          { label: "Delete", danger: true, needs: permissionFor(rules, id, null), onSelect: () => onDelete(rule) },
        ]}
      />
    </span>
  );
}

function DeleteRule({ rule, rules, onClose }: RuleProps & { onClose: () => void }) {
  const { id, name, lastEdit } = rule;
  return (
    <ConfirmAction
      needs={permissionFor(rules, id, null)}
      title={`Delete ${name}?`}
      description="Calls that it decided are decided by the rules and settings below it. Recorded calls keep what it did."
      run={() => client.rules.delete.mutate({ id, revision: lastEdit.revision })}
      stale={[trpc.rules, trpc.ruleCases]}
      done={() => `${name} deleted`}
      onClose={onClose}
    />
  );
}
