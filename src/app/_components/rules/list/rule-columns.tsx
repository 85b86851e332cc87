import { ArrowDown, ArrowUp, Lock } from "lucide-react";
import { useRouter } from "next/navigation";
import { EffectBadge } from "@/app/_components/rules/summary/effect-badge";
import { toMatchesPath, toRulePath } from "@/app/_components/rules/summary/rule-paths";
import type { Column } from "@/app/_kit/data-table";
import { actionsColumn, countColumn, nameColumn, statusColumn, textColumn } from "@/app/_kit/list/columns";
import { useAction } from "@/app/_kit/use-action";
import { trpc } from "@/app/_trpc/client";
import { Badge } from "@/app/_ui/badge";
import { IconButton } from "@/app/_ui/button";
import { NativeSelect } from "@/app/_ui/field";
import { Link } from "@/app/_ui/link";
import { Menu, MenuButton } from "@/app/_ui/menu";
import type { Permission } from "@/lib/contract/access";
import type { CallRule, CallRuleInput } from "@/lib/contract/call-rule";
import { permissionForRules } from "@/lib/contract/call-rule-access";
import { RULE_STATES, type RuleState } from "@/lib/contract/call-rule-words";
import { formatPlural } from "@/lib/format";
import { describeBrokenCases } from "@/lib/format/rule-case-words";
import { countRecordingDays, isReviewDue } from "@/lib/rules/rule-review";
import { describeRule, STATE_LABELS } from "@/lib/rules/rule-words";
import type { BuiltInRule } from "./built-in-rules";
import { moveRule, type RuleOrder } from "./rule-order";

/** A rule, or a setting of approvals below all rules. */
export type RuleRow = { kind: "rule"; rule: CallRule } | { kind: "built-in"; rule: BuiltInRule };

interface ColumnParts {
  rules: readonly CallRule[];
  /** The names of users by their id. */
  names: ReadonlyMap<string, string>;
  order: RuleOrder;
  /** Null in the server's HTML. */
  now: number | null;
  onDelete: (rule: CallRule) => void;
  report: (problem: string | null) => void;
}

/** The columns of rules and of the settings below them, with what moves, switches and deletes a rule. */
export function buildRuleColumns({ rules, names, order, now, onDelete, report }: ColumnParts): Column<RuleRow>[] {
  return [
    textColumn<RuleRow>(
      "Position",
      ({ kind, rule }) =>
        kind === "rule" ? rule.position : <Lock aria-label="Built-in" size={13} strokeWidth={1.6} className="mt-1" />,
      { headHidden: true, cellClass: "w-8 text-mute tabular-nums" },
    ),
    nameColumn<RuleRow>("Rule", {
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
    countColumn<RuleRow>("Matched in 7 days", ({ kind, rule }) => (kind === "rule" ? rule.matched : null), {
      noun: "matched call",
      from: "sm",
      href: ({ kind, rule }) => (kind === "rule" ? toMatchesPath(rule.id) : rule.href),
    }),
    statusColumn<RuleRow>(
      "State",
      (row) => row.kind === "rule" && <StateSelect rules={rules} report={report} rule={row.rule} />,
      {
        from: "sm",
        phone: ({ kind, rule }) => (kind === "rule" ? STATE_LABELS[rule.state] : null),
        cellClass: "py-0.5!",
      },
    ),
    actionsColumn<RuleRow>((row) =>
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

/** The permission that replacing or deleting a rule requires. @param input the new rule; null deletes it */
export function permissionFor(rules: readonly CallRule[], id: string, input: CallRuleInput | null): Permission {
  const after = rules.flatMap((rule) => (rule.id !== id ? rule : input === null ? [] : { ...rule, ...input }));
  return permissionForRules(rules, after);
}

export interface RuleProps {
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
