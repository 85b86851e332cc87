import type { ToolApproval } from "../../../lib/contract/approval";
import type { SchemaNote } from "../../../lib/contract/schema-note";
import type {
  ServerChangePage,
  ServerTool,
  ServerToolPage,
  ToolChange,
  ToolChangeSet,
} from "../../../lib/contract/server-tool";
import { createWordMatcher } from "../../../lib/match-words";

const PAGE_TOOLS = 100;
const PAGE_CHANGES = 100;
/** A row shows two lines; a description may be a megabyte. */
const DESCRIPTION_CHARS = 1_000;
const NAME_CHARS = 300;
/** A row shows the first few and counts the rest. */
const MAX_NOTES = 20;
const MAX_DETAILS = 20;
const DETAIL_CHARS = 300;

interface ToolPageRequest {
  search: string;
  /** How many tools earlier pages had. */
  cursor: number;
  /** Whether a tool of the catalog requires approval and why. */
  getApproval: (toolName: string) => ToolApproval | null;
  /** Lists the unchecked keywords of a tool of the catalog. */
  listNotes: (toolName: string) => readonly SchemaNote[] | null;
}

/** Tools that match every word of `search`, those that cannot be called first, without their JSON. */
export function toolPage(
  tools: readonly ServerTool[],
  { search, cursor, getApproval, listNotes }: ToolPageRequest,
): ServerToolPage {
  const matches = createWordMatcher(search);
  const listed = tools.map((tool, position) => ({ tool, position }));
  const matching = listed.filter(({ tool: { name, catalogName, title, description } }) =>
    matches(name, catalogName, title, description),
  );
  const unusable = matching.filter(({ tool }) => tool.status !== "usable");
  const ordered = [...unusable, ...matching.filter(({ tool }) => tool.status === "usable")];
  const end = cursor + PAGE_TOOLS;
  return {
    items: ordered.slice(cursor, end).map(({ tool: { rawText: _json, ...tool }, position }) => ({
      ...tool,
      approval: tool.catalogName === null ? null : getApproval(tool.catalogName),
      notes: [...((tool.catalogName === null ? null : listNotes(tool.catalogName)) ?? tool.notes)].slice(0, MAX_NOTES),
      name: tool.name?.slice(0, NAME_CHARS) ?? null,
      title: tool.title?.slice(0, NAME_CHARS) ?? null,
      description: tool.description.slice(0, DESCRIPTION_CHARS),
      reason: tool.reason?.slice(0, DESCRIPTION_CHARS) ?? null,
      position,
    })),
    total: tools.length,
    matching: ordered.length,
    unusable: unusable.length,
    nextCursor: end < ordered.length ? end : null,
  };
}

/** `cursor` counts changes over all sets: a large set may be on several pages. */
export function changePage(sets: readonly ToolChangeSet[], cursor: number): ServerChangePage {
  const items: ToolChangeSet[] = [];
  const end = cursor + PAGE_CHANGES;
  let before = 0;
  for (const { at, changes } of sets) {
    const part = changes.slice(Math.max(0, cursor - before), Math.max(0, end - before));
    if (part.length > 0) items.push({ at, changes: part.map(shorten) });
    before += changes.length;
  }
  return { items, nextCursor: end < before ? end : null };
}

function shorten({ kind, tool, details }: ToolChange): ToolChange {
  const left = details.length - MAX_DETAILS;
  const shown = details.slice(0, MAX_DETAILS).map((detail) => detail.slice(0, DETAIL_CHARS));
  return { kind, tool: tool.slice(0, NAME_CHARS), details: left > 0 ? [...shown, `and ${left} more`] : shown };
}
