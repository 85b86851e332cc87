"use client";

import { keepPreviousData, useQuery } from "@tanstack/react-query";
import { trpc } from "@/app/_trpc/client";
import { describeStatus } from "@/app/_ui/status-badge";
import { formatTitle } from "@/lib/contract/execution-kind";
import type { PaletteCommand } from "./palette-commands";

const MAX_RUNS = 6;
/** Shorter texts are in nearly every title. */
const LEAST_CHARS = 2;
const LEAST_SEARCH_CHARS = 3;
const EXECUTION_ID = /^exec_[A-Za-z0-9]{8,40}$/;
const RUN_ID = /^run_[A-Za-z0-9_-]{8,40}$/;

/** Finds what only the server can find for a search: the call or run with this id, and runs by their titles. */
export function usePaletteFinds(search: string, go: (href: string) => () => void) {
  const text = search.trim().slice(0, 200);
  const executions = useQuery({
    ...trpc.executions.list.queryOptions({ filter: { q: text }, limit: 1 }),
    enabled: EXECUTION_ID.test(text),
  });
  const run = useQuery({ ...trpc.runs.get.queryOptions({ id: text }), enabled: RUN_ID.test(text), retry: false });
  const runs = useQuery({
    ...trpc.runs.list.queryOptions({ filter: { q: text }, limit: MAX_RUNS }),
    enabled: text.length >= LEAST_CHARS,
    placeholderData: keepPreviousData,
  });
  const execution = executions.data?.items.find(({ id }) => id === text);

  const commands: PaletteCommand[] = [];
  if (execution !== undefined) {
    commands.push({
      id: `open:${execution.id}`,
      group: "Open",
      label: execution.id,
      mono: true,
      hint: `${formatTitle(execution)}, ${describeStatus(execution.status, execution.errorKind)}`,
      run: go(`/executions/${execution.id}`),
    });
  }
  if (RUN_ID.test(text) && run.data !== undefined) {
    commands.push({
      id: `open:${text}`,
      group: "Open",
      label: text,
      mono: true,
      hint: run.data.title,
      run: go(`/runs/${encodeURIComponent(text)}`),
    });
  }
  for (const { id, title, status } of text.length < LEAST_CHARS ? [] : (runs.data?.items ?? [])) {
    commands.push({
      id: `run:${id}`,
      group: "Runs",
      label: title,
      hint: describeStatus(status),
      run: go(`/runs/${encodeURIComponent(id)}`),
    });
  }
  if (text.length >= LEAST_SEARCH_CHARS) {
    commands.push({
      id: "search:executions",
      group: "Search",
      label: `Search executions for “${text}”`,
      always: true,
      run: go(`/executions?q=${encodeURIComponent(text)}`),
    });
  }
  return { commands, loading: executions.isFetching || run.isFetching || runs.isFetching };
}
