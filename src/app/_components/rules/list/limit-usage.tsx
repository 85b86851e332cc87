"use client";

import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { toRulePath } from "@/app/_components/rules/summary/rule-paths";
import { useCallerNames } from "@/app/_components/rules/summary/use-caller-names";
import { ConfirmAction } from "@/app/_kit/confirm-action";
import { client, trpc } from "@/app/_trpc/client";
import { Button } from "@/app/_ui/button";
import { Link } from "@/app/_ui/link";
import { RelativeTime } from "@/app/_ui/relative-time";
import { ALERT_WORDS } from "@/lib/contract/alert-kinds";
import type { CallRule } from "@/lib/contract/call-rule";
import { permissionForRules } from "@/lib/contract/call-rule-access";
import type { LimitUsage as Usage } from "@/lib/contract/rule-limit";
import { formatRate } from "@/lib/format";
import { describeCounted, describeWindow, formatUsed } from "@/lib/format/rule-limit-words";

/** Counts change with every call, and no event reports that, so the page polls. */
const REFRESH_MS = 5_000;
const MAX_SHOWN = 50;
/** The share of a limit from which alerts fire by default. */
const WARNING = ALERT_WORDS.limit_usage.threshold / 100;

/** The current usage of each limit, the fullest first. */
export function LimitUsage({ rules }: { rules: readonly CallRule[] }) {
  // A reset takes the permission to delete the rule.
  const permissionFor = (id: string) =>
    permissionForRules(
      rules,
      rules.filter((rule) => rule.id !== id),
    );
  const { data = [] } = useQuery({ ...trpc.rules.usage.queryOptions({}), refetchInterval: REFRESH_MS });
  const names = useCallerNames(data.some(({ parts }) => parts.some(({ of }) => of === "user")));
  const [reset, setReset] = useState<Usage | null>(null);
  const shown = data.slice(0, MAX_SHOWN);
  return (
    <section aria-labelledby="limit-usage" className="flex flex-col gap-2 px-4 py-4">
      <h2 id="limit-usage" className="font-medium">
        Used of limits
      </h2>
      {data.length === 0 && <p className="text-mute text-xs">Nothing is used now.</p>}
      <ul className="divide-y divide-line rounded-lg border border-line bg-panel empty:hidden">
        {shown.map((usage) => (
          <li
            key={`${usage.ruleId} ${usage.key}`}
            className="grid items-center gap-x-4 gap-y-1 px-3 py-2 text-xs sm:grid-cols-[minmax(0,1fr)_minmax(10rem,16rem)_auto]"
          >
            <UsageName usage={usage} names={names} />
            <UsageBar usage={usage} names={names} />
            <Button needs={permissionFor(usage.ruleId)} onClick={() => setReset(usage)}>
              Reset<span className="sr-only"> {toLabel(usage, names)}</span>
            </Button>
          </li>
        ))}
      </ul>
      {data.length > shown.length && (
        <p className="text-mute text-xs">Only the {MAX_SHOWN} fullest are shown. The command line lists more.</p>
      )}
      {reset !== null && (
        <ConfirmAction
          needs={permissionFor(reset.ruleId)}
          action="Reset"
          running="Resetting…"
          title={`Reset ${reset.ruleName}?`}
          description={`It counts from 0 for ${describeCounted(reset.parts, names)}. Recorded calls stay as they are.`}
          run={() => client.rules.resetUsage.mutate({ id: reset.ruleId, key: reset.key })}
          stale={[trpc.rules.usage]}
          done={() => `${reset.ruleName} counts from 0`}
          onClose={() => setReset(null)}
        />
      )}
    </section>
  );
}

type Names = ReadonlyMap<string, string>;

const toLabel = ({ ruleName, parts }: Usage, names: Names): string => `${ruleName}, ${describeCounted(parts, names)}`;

function UsageName({ usage: { ruleId, ruleName, parts }, names }: { usage: Usage; names: Names }) {
  return (
    <span className="min-w-0 [overflow-wrap:anywhere]">
      <Link href={toRulePath(ruleId)} className="font-medium hover:underline">
        {ruleName}
      </Link>{" "}
      <span className="text-mute">
        <bdi>{describeCounted(parts, names)}</bdi>
      </span>
    </span>
  );
}

function UsageBar({ usage, names }: { usage: Usage; names: Names }) {
  const { measure, used, most, minutes, freeAt } = usage;
  return (
    <span className="flex min-w-0 flex-col gap-1">
      <progress
        aria-label={toLabel(usage, names)}
        className={`h-1.5 w-full ${freeAt !== null ? "accent-bad" : used >= WARNING * most ? "accent-warn" : "accent-accent"}`}
        max={most}
        value={Math.min(used, most)}
      />
      <span className="tabular-nums">
        {formatUsed(measure, used, most)} in {describeWindow(minutes)}
        {freeAt === null && used >= WARNING * most && (
          <span className="text-warn"> · {formatRate(used, most)} used</span>
        )}
        {freeAt !== null && (
          <span className="text-bad">
            {" "}
            · room <RelativeTime at={freeAt} />
          </span>
        )}
      </span>
    </span>
  );
}
