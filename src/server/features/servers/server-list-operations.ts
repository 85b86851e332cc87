import { z } from "zod";
import { loadProblemsSchema } from "../../../lib/contract/catalog-tool";
import {
  serverListInputSchema,
  serverOverviewSchema,
  serverPageSchema,
  suggestedServerSchema,
} from "../../../lib/contract/server-list";
import { suggestInputSchema } from "../../../lib/contract/tool-list";
import { read } from "../../platform/api/operation";
import { takeProblems } from "../../platform/shared/take-problems";
import { describeServers, pageServers, suggestServers } from "./server-list";

/** What the console reads of all servers: a page, names alone, or what Overview says. */
export const serverListOperations = {
  page: read({
    rest: null,
    unrouted: "GET /servers lists the servers in pages",
    summary: "List the servers in pages, filtered",
    allow: "read",
    input: serverListInputSchema,
    output: serverPageSchema,
    run({ services, actor }, { filter, cursor, limit, first }) {
      const { items } = services.servers.list(actor.id);
      return pageServers(items, { filter, cursor, limit: cursor === undefined ? (first ?? limit) : limit });
    },
  }),
  suggest: read({
    rest: null,
    unrouted: "GET /servers has the servers with everything else",
    summary: "Find servers while a user types: by the beginning of the name, by words, or by letters in order",
    allow: "read",
    input: suggestInputSchema,
    output: z.array(suggestedServerSchema),
    run: ({ services, actor }, input) => suggestServers(services.servers.list(actor.id).items, input),
  }),
  names: read({
    rest: null,
    unrouted: "GET /servers has the names with everything else",
    summary: "List the names of all servers, for a choice among them",
    allow: "read",
    output: z.array(z.string()),
    run: ({ services }) => services.servers.listNames(),
  }),
  problems: read({
    rest: null,
    unrouted: "GET /system/problems has what could not be loaded",
    summary: "List the first servers that could not be loaded, and count all",
    allow: "read",
    output: loadProblemsSchema,
    run: ({ services }) => takeProblems(services.servers.listProblems()),
  }),
  overview: read({
    rest: null,
    unrouted: "GET /servers has the state and last change of each server",
    summary: "Get the servers that need attention, and those whose tools changed last",
    allow: "read",
    output: serverOverviewSchema,
    run: ({ services, actor }) => describeServers(services.servers.list(actor.id).items),
  }),
};
