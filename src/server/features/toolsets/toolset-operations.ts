import { z } from "zod";
import { permissionForToolset } from "../../../lib/contract/access";
import {
  type ToolsetSummary,
  toolOverrideSchema,
  toolsetInputSchema,
  toolsetPreviewSchema,
  toolsetSchema,
  toolsetSummarySchema,
} from "../../../lib/contract/toolset";
import { act, operations, read } from "../../platform/api/operation";
import { revision } from "../../platform/api/revision-input";

const name = z.string().max(100);

/** A toolset as programs send it: the document describes its overrides, which the console's input reads by their names. */
const sentToolset = toolsetSchema
  .omit({ createdAt: true, updatedAt: true, lastEdit: true })
  .extend({ overrides: z.array(toolOverrideSchema).default([]) })
  .strict();
const sentAs = { body: sentToolset, toInput: (_: unknown, fields: object) => fields };

export const toolsetOperations = operations("toolsets", {
  list: read({
    rest: "GET /toolsets",
    summary: "List the toolsets by name",
    allow: "read",
    output: z.array(toolsetSummarySchema),
    pagedBy: (toolset: ToolsetSummary) => toolset.name,
    run: ({ services }) => services.toolsets.list(),
  }),
  create: act({
    rest: "POST /toolsets",
    summary: "Create a toolset",
    allow: "edit",
    demand: permissionForToolset,
    input: toolsetInputSchema,
    sentAs,
    output: toolsetSchema,
    status: 201,
    versioned: true,
    audit: { target: (input) => ({ kind: "toolset", name: input.name }), after: (made) => made },
    run: ({ services, actor }, input) => services.toolsets.create(actor, input),
  }),
  preview: act({
    rest: "POST /toolsets/preview",
    summary: "Show what a toolset would give clients with the catalog as it is now: nothing is stored",
    allow: "read",
    input: toolsetInputSchema,
    sentAs,
    output: toolsetPreviewSchema,
    audit: { unrecorded: "It changes nothing" },
    run: ({ services }, input) => services.toolsets.preview(input),
  }),
  get: read({
    rest: "GET /toolsets/{name}",
    summary: "Get a toolset with its overrides",
    allow: "read",
    input: z.object({ name }),
    output: toolsetSchema,
    versioned: true,
    run: ({ services }, input) => services.toolsets.get(input.name),
  }),
  update: act({
    rest: "PUT /toolsets/{name}",
    summary: "Replace a toolset",
    allow: "edit",
    // A toolset that lets calls run without approval decides what runs unasked.
    demand: (input, { toolsets }) =>
      permissionForToolset(toolsets.get(input.name)) === "edit" ? permissionForToolset(input.toolset) : "administer",
    input: z.object({ name, toolset: toolsetInputSchema, revision }),
    body: "toolset",
    sentAs,
    output: toolsetSchema,
    versioned: ({ toolsets }, input) => toolsets.get(input.name).lastEdit,
    audit: {
      target: (input, made) => ({ kind: "toolset", name: made?.name ?? input.name }),
      state: ({ toolsets }, input, made) => toolsets.get(made?.name ?? input.name),
    },
    run: ({ services, actor }, input) => services.toolsets.update(actor, input.name, input.toolset, input.revision),
  }),
  delete: act({
    rest: "DELETE /toolsets/{name}",
    summary: "Delete a toolset",
    allow: "edit",
    input: z.object({ name, revision }),
    versioned: ({ toolsets }, input) => toolsets.get(input.name).lastEdit,
    audit: {
      target: (input) => ({ kind: "toolset", name: input.name }),
      state: ({ toolsets }, input) => toolsets.get(input.name),
    },
    run: async ({ services, actor }, input) => {
      await services.toolsets.delete(actor, input.name, input.revision);
    },
  }),
});
