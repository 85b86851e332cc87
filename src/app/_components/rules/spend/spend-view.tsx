"use client";

import { useSuspenseQuery } from "@tanstack/react-query";
import { Download } from "lucide-react";
import { useQueryStates } from "nuqs";
import { useDeferredValue, useMemo } from "react";
import { TimeChart } from "@/app/_kit/chart/time-chart";
import { type Column, DataTable } from "@/app/_kit/data-table";
import { countColumn, figureColumn, textColumn } from "@/app/_kit/list/columns";
import { saveFile } from "@/app/_kit/save-file";
import { trpc } from "@/app/_trpc/client";
import { Button, ButtonLink } from "@/app/_ui/button";
import { EmptyState } from "@/app/_ui/empty-state";
import { NativeSelect } from "@/app/_ui/field";
import { Link } from "@/app/_ui/link";
import { PageHeader } from "@/app/_ui/page-header";
import type { SpendGroup, SpendReport } from "@/lib/contract/spend";
import { SPEND_DIMENSIONS, type SpendDimension } from "@/lib/contract/spend-days";
import { formatPlural } from "@/lib/format";
import { CSV_MARK, formatCsvRow } from "@/lib/format/csv";
import { formatDollars } from "@/lib/format/dollars";
import { NEW_RULE, RULES_PATH } from "../summary/rule-paths";
import { SPEND_PARAMS, SPEND_RANGES, toSpendInput } from "./spend-params";

const DAY_MS = 86_400_000;

const LABELS: Record<SpendDimension, string> = {
  day: "Day",
  user: "User",
  client: "Client",
  tool: "Tool",
  model: "Model",
};

interface SpendViewProps {
  /** When the page was read. */
  askedAt: number;
}

/** Shows the cost of tool and model calls by day, and by the dimension that the reader chooses. */
export function SpendView({ askedAt }: SpendViewProps) {
  const [params, setParams] = useQueryStates(SPEND_PARAMS);
  const input = useDeferredValue(useMemo(() => toSpendInput(params, askedAt), [params, askedAt]));
  const { data: report } = useSuspenseQuery(trpc.spend.read.queryOptions(input));
  return (
    <div className="flex flex-col">
      <PageHeader
        title="Spend"
        actions={
          <>
            <NativeSelect
              aria-label="Time"
              className="w-auto!"
              value={params.days}
              onChange={({ target }) => setParams({ days: SPEND_RANGES.find((each) => each === target.value) ?? null })}
              options={SPEND_RANGES.map((days) => [days, `Last ${days} days`])}
            />
            <NativeSelect
              aria-label="Sum by"
              className="w-auto!"
              value={params.by}
              onChange={({ target }) => setParams({ by: SPEND_DIMENSIONS.find((by) => by === target.value) ?? null })}
              options={SPEND_DIMENSIONS.map((by) => [by, `By ${by}`])}
            />
            <Button icon={Download} disabled={report.groups.length === 0} onClick={() => saveCsv(report, input.by)}>
              CSV
            </Button>
            <ButtonLink href={RULES_PATH}>Prices and limits</ButtonLink>
          </>
        }
      />
      {report.total.calls === 0 ? <NoSpend isOwn={report.isOwn} /> : <SpendFigures report={report} by={input.by} />}
    </div>
  );
}

function NoSpend({ isOwn }: Pick<SpendReport, "isOwn">) {
  return (
    <EmptyState
      heading="h2"
      title="No spend in this time"
      next={{ href: `${RULES_PATH}?rule=${NEW_RULE}`, text: "New rule", needs: "edit" }}
    >
      Rules with a price say what a call of a tool costs; prices of models are in the settings of their providers.
      {isOwn && ` ${OWN}`}
    </EmptyState>
  );
}

const OWN = "Only your own: others' spend is for admins.";

function SpendFigures({ report, by }: { report: SpendReport; by: SpendDimension }) {
  const { tools, models, calls } = report.total;
  return (
    <>
      <p className="px-4 py-3">
        <strong className="font-medium font-mono tabular-nums">{formatDollars(tools + models)}</strong>{" "}
        <span className="text-mute">
          of {formatPlural(calls, "call")} with a price: {formatDollars(tools)} tools, {formatDollars(models)} models.
          {report.isOwn && ` ${OWN}`}
        </span>
      </p>
      <div className="px-4 pb-4">
        <SpendChart days={report.days} />
      </div>
      {report.groups.length > 0 && (
        <div className="border-line border-t bg-panel">
          <DataTable
            label="Spend"
            look="catalog"
            columns={buildColumns(by)}
            rows={report.groups}
            toKey={({ value }) => value}
          />
        </div>
      )}
    </>
  );
}

function SpendChart({ days }: Pick<SpendReport, "days">) {
  const describe = (step: number) => {
    const { tools, models } = days[step] ?? { tools: 0, models: 0 };
    return [`${formatDollars(tools)} tools`, `${formatDollars(models)} models`];
  };
  return (
    <TimeChart
      title="Spend by day (UTC)"
      summary={`Spend of ${formatPlural(days.length, "day")}, tools and models`}
      steps={days.map(({ day }) => ({ at: Date.parse(day), end: Date.parse(day) + DAY_MS }))}
      series={[
        { label: "tools", look: "bar", tone: "accent", values: days.map(({ tools }) => tools) },
        { label: "models", look: "bar", tone: "mute", values: days.map(({ models }) => models) },
      ]}
      formatAxis={(value) => (value === 0 ? "0" : formatDollars(value))}
      describeStep={describe}
      listFigures={(step) => ({
        Tools: formatDollars(days[step]?.tools ?? 0),
        Models: formatDollars(days[step]?.models ?? 0),
      })}
      toPath={({ since, until }) => toPricedPath({ range: "custom", since: `${since}`, until: `${until}` })}
      zone="UTC"
    />
  );
}

function buildColumns(by: SpendDimension): Column<SpendGroup>[] {
  return [
    textColumn<SpendGroup>(LABELS[by], (group) => <GroupName by={by} group={group} />, {
      cellClass: "w-full max-w-0 truncate",
    }),
    ...(by === "model" ? [] : [figureColumn<SpendGroup>("Tools", ({ tools }) => formatDollars(tools))]),
    ...(by === "tool" ? [] : [figureColumn<SpendGroup>("Models", ({ models }) => formatDollars(models))]),
    countColumn<SpendGroup>("Calls", ({ calls }) => calls, { noun: "call", className: "max-sm:hidden" }),
  ];
}

/** Leads to the calls with a price, where a filter of executions finds them. */
function GroupName({ by, group: { value, name } }: { by: SpendDimension; group: SpendGroup }) {
  if (by === "model" || value === "") return <bdi>{name}</bdi>;
  const since = Date.parse(value);
  const filter =
    by === "day"
      ? { range: "custom", since: `${since}`, until: `${since + DAY_MS - 1}` }
      : { [by === "user" ? "actor" : by]: value.replaceAll(",", "%2C") };
  return (
    <Link href={toPricedPath(filter)} className="hover:underline">
      <bdi>{name}</bdi>
    </Link>
  );
}

/** The least price that is kept. */
const ANY_PRICE = "0.000001";

const toPricedPath = (filter: Readonly<Record<string, string>>): string =>
  `/executions?${new URLSearchParams({ ...filter, minCost: ANY_PRICE })}`;

function saveCsv({ from, to, groups }: SpendReport, by: SpendDimension): void {
  const rows = groups.map(({ value, name, tools, models, calls }) => [value, name, tools, models, calls]);
  const text = [[by, "name", "tools_usd", "models_usd", "calls"], ...rows].map(formatCsvRow).join("");
  saveFile(`toolroom-spend-${from}-${to}.csv`, new Blob([CSV_MARK + text], { type: "text/csv" }));
}
