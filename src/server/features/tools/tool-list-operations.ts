import { z } from "zod";
import { loadProblemsSchema } from "../../../lib/contract/catalog-tool";
import { FIGURE_DAYS } from "../../../lib/contract/tool-filter";
import {
  approvalGroupSchema,
  catalogOverviewSchema,
  namedToolSchema,
  suggestedToolSchema,
  suggestInputSchema,
  toolFacetsSchema,
  toolListInputSchema,
  toolPageSchema,
} from "../../../lib/contract/tool-list";
import { type OperationContext, read } from "../../platform/api/operation";
import { takeNamedPage } from "../../platform/shared/take-page";
import { takeProblems } from "../../platform/shared/take-problems";
import { describeCatalog, groupApprovals, listNamed } from "./catalog-digests";
import { filterTools, listFacets } from "./filter-tools";
import { isByFigure, sortTools } from "./sort-tools";
import { suggestTools } from "./suggest-tools";

type Context = Pick<OperationContext, "services" | "actor">;

async function listPage({ services, actor }: Context, input: z.output<typeof toolListInputSchema>) {
  const { filter, sort = null } = input;
  const all = services.tools.summaries();
  const favorites = await readFavorites({ services, actor });
  const readFigures = async (tools?: readonly string[]) => {
    const figures = await services.executions.toolFigures(FIGURE_DAYS, tools);
    return new Map(figures.map((each) => [each.toolName, each]));
  };
  const matching = filterTools(all, filter, { favorites, me: actor.id });
  const ranking = isByFigure(sort) ? await readFigures() : new Map();
  const limit = input.cursor === undefined ? (input.first ?? input.limit) : input.limit;
  const sorted = sortTools(matching, { figures: ranking, favorites }, sort);
  const { items, nextCursor } = takeNamedPage(sorted, { cursor: input.cursor, limit });
  const figures = input.figures ? await readFigures(items.map(({ name }) => name)) : new Map();
  return {
    items: items.map((tool) => ({ ...tool, figures: figures.get(tool.name) ?? null })),
    nextCursor,
    matching: matching.length,
    total: all.length,
  };
}

const readFavorites = async ({ services, actor }: Context): Promise<ReadonlySet<string>> =>
  new Set(await services.tools.favorites(actor));

/** What the console reads of the whole catalog: a page, a search, names alone, or what was counted. */
export const toolListOperations = {
  list: read({
    rest: null,
    unrouted: "GET /tools lists the tools in pages",
    summary: "List the tools in pages: filtered, sorted, and with the figures of their calls",
    allow: "read",
    input: toolListInputSchema,
    output: toolPageSchema,
    run: listPage,
  }),
  problems: read({
    rest: null,
    unrouted: "GET /system/problems has what could not be loaded",
    summary: "List the first tools that could not be loaded, and count all",
    allow: "read",
    output: loadProblemsSchema,
    run: ({ services }) => takeProblems(services.tools.listProblems()),
  }),
  facets: read({
    rest: null,
    unrouted: "GET /tools has the type, server and tags of each tool",
    summary: "List the types, servers and tags by which tools can be filtered",
    allow: "read",
    output: toolFacetsSchema,
    run: ({ services }) => listFacets(services.tools.summaries()),
  }),
  suggest: read({
    rest: null,
    unrouted: "GET /tools?search= finds tools by their words",
    summary: "Find tools while a user types: by the beginning of the name, by words, or by letters in order",
    allow: "read",
    input: suggestInputSchema,
    output: z.array(suggestedToolSchema),
    run: async ({ services, actor }, input) =>
      suggestTools(services.tools.summaries(), { ...input, favorites: await readFavorites({ services, actor }) }),
  }),
  names: read({
    rest: null,
    unrouted: "GET /tools has the names with everything else",
    summary: "List the names of all tools, for a choice among them",
    allow: "read",
    output: z.array(namedToolSchema),
    run: ({ services }) => listNamed(services.tools.summaries()),
  }),
  overview: read({
    rest: null,
    unrouted: "GET /tools has the last edit of each tool",
    summary: "Get a tool to begin with, and the tools edited last",
    allow: "read",
    output: catalogOverviewSchema,
    run: ({ services }) => describeCatalog(services.tools.edits()),
  }),
  approvalGroups: read({
    rest: null,
    unrouted: "GET /tools has the approval of each tool",
    summary: "Count the enabled tools by what decides whether they require approval",
    allow: "read",
    output: z.array(approvalGroupSchema),
    run: ({ services }) => groupApprovals(services.tools.summaries()),
  }),
};
