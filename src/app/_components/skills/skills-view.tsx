"use client";

import { useSuspenseQuery } from "@tanstack/react-query";
import type { Column } from "@/app/_kit/data-table";
import { countColumn, nameColumn, textColumn, timeColumn } from "@/app/_kit/list/columns";
import { type ListDeclaration, ResourceList } from "@/app/_kit/list/resource-list";
import { useLiveRefresh } from "@/app/_live/use-live-refresh";
import { trpc } from "@/app/_trpc/client";
import { EmptyState } from "@/app/_ui/empty-state";
import type { OwnSkillSummary } from "@/lib/contract/own-skill";
import { formatPlural } from "@/lib/format";

const STEP = 100;

const COLUMNS: readonly Column<OwnSkillSummary>[] = [
  nameColumn("Name", {
    name: ({ name }) => name,
    href: ({ name }) => `/skills/${encodeURIComponent(name)}`,
  }),
  textColumn("Description", ({ description }) => <span dir="auto">{description}</span>, {
    from: "md",
    cellClass: "w-full max-w-0 truncate text-mute",
    phone: ({ description }) => <span dir="auto">{description}</span>,
  }),
  countColumn("Files", ({ fileCount }) => fileCount, { noun: "file", from: "md", className: "pr-6" }),
  countColumn("Version", ({ version }) => version, { from: "md", className: "pr-6" }),
  timeColumn("Changed", ({ updatedAt }) => updatedAt, { from: "md", className: "pr-4" }),
];

const MEANING = "Agents read them at /mcp, and at toolsets that choose them.";

const SKILL_LIST: Omit<ListDeclaration<OwnSkillSummary>, "noMatch"> = {
  label: "Skills",
  look: "catalog",
  toKey: ({ name }) => name,
  empty: (
    <EmptyState heading="h2" title="No skills yet" next={{ href: "/skills/new", text: "New skill", needs: "edit" }}>
      A skill is a folder with a SKILL.md: instructions that an agent reads when a task needs them, with the files that
      they name. Skills of servers are on the page of each server.
    </EmptyState>
  ),
};

/** The skills of the team. */
export function SkillsView() {
  const { data: skills, refetch } = useSuspenseQuery(trpc.ownSkills.list.queryOptions());
  useLiveRefresh(refetch, "skills");
  const status = `${formatPlural(skills.length, "skill")}. ${MEANING}`;
  return <ResourceList {...SKILL_LIST} columns={COLUMNS} rows={skills} status={status} step={STEP} />;
}
