import { findApproverRule } from "../../../lib/contract/approver";
import type { ToolSummary } from "../../../lib/contract/catalog-tool";
import type { ApprovalGroup, CatalogOverview, NamedTool } from "../../../lib/contract/tool-list";
import { remember } from "../../platform/shared/remember";

const MAX_EDITED = 5;
/** Further names are only counted. */
const MAX_GROUP_NAMES = 4;
/** The example that every new installation has. */
const EXAMPLE = "get_weather";

/** All tools by name, for a choice among them. */
export const listNamed = remember((tools: readonly ToolSummary[]): NamedTool[] =>
  tools.map(({ name, server, enabled, appOnly }) => ({
    name,
    server,
    ...(!enabled && { enabled: false }),
    ...(appOnly && { appOnly }),
  })),
);

type EditedTool = Pick<ToolSummary, "name" | "enabled" | "lastEdit">;

/** Summarizes the catalog for Overview. */
export function describeCatalog(tools: readonly EditedTool[]): CatalogOverview {
  const edited = tools.flatMap(({ name, lastEdit }) => (lastEdit === undefined ? [] : { name, lastEdit }));
  const newest = edited.sort((one, other) => other.lastEdit.at - one.lastEdit.at).slice(0, MAX_EDITED);
  return { sampleTool: pickSampleTool(tools), edited: newest };
}

function pickSampleTool(tools: readonly EditedTool[]): string | null {
  const example = tools.find(({ name, enabled }) => enabled && name === EXAMPLE);
  return (example ?? tools.find(({ enabled }) => enabled))?.name ?? null;
}

/** The enabled tools by what decides whether they require approval, in the order of the catalog. */
export const groupApprovals = remember((tools: readonly ToolSummary[]): ApprovalGroup[] => {
  const groups = new Map<string, ApprovalGroup>();
  for (const tool of tools.filter(({ enabled }) => enabled)) {
    const { because, required, mode } = tool.approval;
    const server = because === "server" ? tool.server : null;
    const key = JSON.stringify([because, required, mode, server]);
    const group = groups.get(key) ?? { because, required, mode, server, names: [], count: 0 };
    // A toolset does not lift an approver that a setting names, so the page needs all of these.
    if (group.names.length < MAX_GROUP_NAMES || findApproverRule(mode) !== null) group.names.push(tool.name);
    group.count += 1;
    groups.set(key, group);
  }
  return [...groups.values()];
});
