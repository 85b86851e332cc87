import { z } from "zod";
import { type SavedView, savedViewInputSchema, savedViewSchema } from "../../../lib/contract/saved-view";
import { act, operations, read } from "../../platform/api/operation";

const id = z.string().min(1).max(100);
const view = savedViewInputSchema;

const toState = ({ name, query }: SavedView) => ({ name, query });

/** Filters of Executions under a name. `views save` is a command of its own: it takes filters. */
export const viewOperations = operations(
  "views",
  {
    list: read({
      rest: "GET /views",
      summary: "List the saved views of Executions, by name",
      allow: "read",
      output: z.array(savedViewSchema),
      run: ({ services }) => services.views.list(),
      cli: {
        words: "list",
        summary: "List the saved views",
        examples: [
          ["toolroom views list", "as a table"],
          ["toolroom views list --json", "with everything known, as JSON"],
        ],
        table: {
          columns: {
            NAME: ({ name }) => name,
            OWNER: ({ owner }) => owner.name,
            FILTERS: ({ query }) => (query === "" ? "all" : query),
            ID: (each) => each.id,
          },
          empty: "No saved views. Save one with: toolroom views save",
        },
      },
    }),
    create: act({
      rest: "POST /views",
      summary: "Save filters of Executions as a view for everyone",
      allow: "run",
      input: z.object({ view }),
      body: "view",
      output: savedViewSchema,
      status: 201,
      audit: { target: (input) => ({ kind: "view", name: input.view.name }), after: toState },
      run: ({ services, principal }, input) => services.views.create(principal, input.view),
    }),
    update: act({
      rest: "PUT /views/{id}",
      summary: "Replace a view. Only who saved it and admins may",
      allow: "run",
      input: z.object({ id, view }),
      body: "view",
      output: savedViewSchema,
      audit: { target: (input) => ({ kind: "view", name: input.view.name }), after: toState },
      run: ({ services, principal }, input) => services.views.update(principal, input.id, input.view),
    }),
    delete: act({
      rest: "DELETE /views/{id}",
      summary: "Delete a view. Only who saved it and admins may",
      allow: "run",
      input: z.object({ id }),
      audit: { target: (input) => ({ kind: "view", name: input.id }) },
      run: ({ services, principal }, input) => services.views.delete(principal, input.id),
      cli: {
        words: "delete <id>",
        summary: "Delete a view",
        examples: [
          ["toolroom views delete 'Failed today'", "by its name"],
          ["toolroom views delete view_5f0c…", "or its id"],
        ],
        find: { list: "/views", kind: "view" },
        say: (_, name) => `Deleted the view ${name}.`,
      },
    }),
  },
  {
    summary: "List, save and delete views: filters of executions under a name, for everyone",
    examples: ["toolroom views list", "toolroom views save slow --duration from_10s"],
  },
);
