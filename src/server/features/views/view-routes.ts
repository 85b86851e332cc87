import { z } from "zod";
import { savedViewInputSchema, savedViewSchema } from "../../../lib/contract/saved-view";
import { defineRoute } from "../../platform/api/route";
import { procedure, router } from "../../platform/api/trpc";

const VIEW = "/views/{id}";

const listViews = defineRoute({
  method: "GET",
  path: "/views",
  permission: "read",
  summary: "List the saved views of Executions, by name",
  response: z.object({ items: z.array(savedViewSchema) }),
  answer: async ({ services }) => ({ items: await services.views.list() }),
});

const createView = defineRoute({
  method: "POST",
  path: "/views",
  permission: "run",
  status: 201,
  summary: "Save filters of Executions as a view for everyone",
  body: savedViewInputSchema,
  response: savedViewSchema,
  answer: ({ services, actor }, { body }) => services.views.create(actor, body),
});

const updateView = defineRoute({
  method: "PUT",
  path: VIEW,
  permission: "run",
  summary: "Replace a view. Only who saved it and admins may",
  body: savedViewInputSchema,
  response: savedViewSchema,
  answer: ({ services, actor }, { param, body }) => services.views.update(actor, param("id"), body),
});

const deleteView = defineRoute({
  method: "DELETE",
  path: VIEW,
  permission: "run",
  summary: "Delete a view. Only who saved it and admins may",
  async answer({ services, actor }, { param }) {
    await services.views.delete(actor, param("id"));
    return undefined;
  },
});

export const VIEW_ROUTES = [listViews, createView, updateView, deleteView];

const id = z.string().min(1).max(100);

export const viewsRouter = router({
  list: procedure.query(({ ctx }) => ctx.services.views.list()),
  create: procedure
    .input(z.object({ view: savedViewInputSchema }))
    .mutation(({ ctx, input }) => ctx.services.views.create(ctx.actor, input.view)),
  update: procedure
    .input(z.object({ id, view: savedViewInputSchema }))
    .mutation(({ ctx, input }) => ctx.services.views.update(ctx.actor, input.id, input.view)),
  delete: procedure
    .input(z.object({ id }))
    .mutation(({ ctx, input }) => ctx.services.views.delete(ctx.actor, input.id)),
});
