"use client";

import { useQuery, useSuspenseQuery } from "@tanstack/react-query";
import { parseAsString, useQueryState } from "nuqs";
import { useId } from "react";
import { useLiveEvals } from "@/app/_components/evals/summary/use-live-evals";
import { type Column, DataTable } from "@/app/_kit/data-table";
import { FormField } from "@/app/_kit/form-field";
import { MultiSelect } from "@/app/_kit/multi-select";
import { useTRPC } from "@/app/_trpc/client";
import { Badge, type BadgeTone } from "@/app/_ui/badge";
import { Card } from "@/app/_ui/card";
import { NativeSelect } from "@/app/_ui/field";
import { TOOL_USE_SUITE } from "@/lib/contract/eval-limits";
import type { WordResult, WordVerdict } from "@/lib/contract/word-test";
import { formatRate } from "@/lib/format";
import { ConfusionList } from "./confusion-list";
import { ORIGIN_LABELS, parseAsOrigins, type ReadOrigin } from "./word-origins";

const VERDICTS: Record<WordVerdict, { label: string; tone: BadgeTone }> = {
  right: { label: "right", tone: "ok" },
  close: { label: "close", tone: "warn" },
  wrong: { label: "wrong", tone: "bad" },
  missed: { label: "no word in common", tone: "bad" },
  absent: { label: "not offered", tone: "neutral" },
};
const STEP = 50;
const ORDER: readonly WordVerdict[] = ["wrong", "missed", "close", "right", "absent"];

const COLUMNS: readonly Column<WordResult>[] = [
  {
    head: "Question",
    className: "pl-3.5",
    cellClass: "w-full min-w-40 [overflow-wrap:anywhere]",
    render: ({ question, expected, ranked }) => (
      <>
        <span dir="auto" className="line-clamp-3">
          {question}
        </span>
        <span className="block text-mute text-xs">
          expects <span className="font-mono text-text">{expected.join(" or ")}</span>
          {ranked.length > 0 && (
            <>
              {" "}
              · finds{" "}
              <span className="font-mono">
                {ranked
                  .slice(0, 3)
                  .map(({ name, score }) => `${name} ${score}`)
                  .join(", ")}
              </span>
            </>
          )}
        </span>
      </>
    ),
  },
  {
    head: "From",
    className: "max-sm:hidden",
    cellClass: "whitespace-nowrap text-mute text-xs",
    render: ({ origin }) => (origin === "file" ? "file" : ORIGIN_LABELS[origin].one),
  },
  {
    head: "Outcome",
    className: "pr-3.5 text-right",
    render: ({ verdict }) => <Badge tone={VERDICTS[verdict].tone}>{VERDICTS[verdict].label}</Badge>,
  },
];

const OPTIONS = Object.entries(ORIGIN_LABELS).map(([value, { many }]) => ({ value: value as ReadOrigin, label: many }));

/** Tests without a model whether the words of the offered tools lead from a question to the right one. */
export function WordsView() {
  const trpc = useTRPC();
  const [toolset, setToolset] = useQueryState("toolset", parseAsString);
  const [suite, setSuite] = useQueryState("suite", parseAsString);
  const [origins, setOrigins] = useQueryState("from", parseAsOrigins);
  const request = { toolset, suite: suite ?? undefined, origins };
  const { data: report } = useSuspenseQuery(trpc.evals.words.queryOptions(request));
  const toolsets = useQuery(trpc.toolsets.list.queryOptions()).data ?? [];
  const suites = useQuery(trpc.evals.suites.queryOptions()).data ?? [];
  useLiveEvals();
  const results = report.results.toSorted((one, other) => ORDER.indexOf(one.verdict) - ORDER.indexOf(other.verdict));
  return (
    <div className="flex max-w-5xl flex-col gap-4 p-4">
      <div className="flex flex-wrap items-end gap-2">
        <Choice
          label="Tools"
          value={toolset}
          none="All enabled tools"
          options={toolsets.map(({ name }) => name)}
          onChoose={setToolset}
        />
        <Choice
          label="Suite"
          value={suite}
          none="All suites"
          options={suites.flatMap(({ name }) => (name === TOOL_USE_SUITE ? [] : name))}
          onChoose={setSuite}
        />
        <MultiSelect label="Questions" options={OPTIONS} value={origins} onChange={(next) => void setOrigins(next)} />
      </div>
      <Card
        title={
          <span role="status">
            {report.asked === 0
              ? "No questions"
              : `${report.found} of ${report.asked} questions lead to the right tool (${formatRate(report.found, report.asked)})`}
          </span>
        }
        label="Confusable pairs"
        about={`A lexical score over names, titles, descriptions and parameters of ${report.tools} tools. No model is asked. Recorded reasons and prompts expect what was called then.${report.isCut ? " Not all questions or tools were taken." : ""}`}
      >
        {report.confusions.length === 0 ? (
          <p className="px-3.5 py-3 text-mute">
            {report.asked === 0 ? "Add evals, or choose recorded questions above." : "No confusable pairs."}
          </p>
        ) : (
          <ConfusionList confusions={report.confusions} />
        )}
      </Card>
      {results.length > 0 && (
        <Card title="Questions">
          <DataTable
            label="Questions"
            look="panel"
            columns={COLUMNS}
            rows={results}
            toKey={({ question, expected, origin }) => `${origin} ${expected.join()} ${question}`}
            step={STEP}
          />
        </Card>
      )}
    </div>
  );
}

interface ChoiceProps {
  label: string;
  value: string | null;
  none: string;
  options: readonly string[];
  onChoose: (value: string | null) => Promise<unknown>;
}

function Choice({ label, value, none, options, onChoose }: ChoiceProps) {
  const id = useId();
  const known = value !== null && !options.includes(value) ? [value, ...options] : options;
  return (
    <FormField id={id} label={label} problems={[]}>
      <NativeSelect
        id={id}
        value={value ?? ""}
        onChange={({ target }) => void onChoose(target.value === "" ? null : target.value)}
        options={[["", none], ...known.map((name) => [name, name] as const)]}
      />
    </FormField>
  );
}
