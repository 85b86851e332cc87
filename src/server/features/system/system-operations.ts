import { z } from "zod";
import { damagedKindSchema, loadProblemSchema } from "../../../lib/contract/catalog-tool";
import { pauseSchema } from "../../../lib/contract/pause";
import { PAUSED_WORK } from "../../../lib/contract/paused-work";
import { serverStateSchema } from "../../../lib/contract/server-state";
import { systemInfoSchema } from "../../../lib/contract/system-info";
import { act, operations, read } from "../../platform/api/operation";
import { describePage, pageQuery, toPage } from "../../platform/api/route-inputs";

/** `doctor` is a command of its own: it repairs wrapped clients too. */
export const systemOperations = operations(
  "system",
  {
    state: read({
      rest: "GET /system",
      summary: "Get the state of the server: what is wrong with it, and whether it is paused",
      allow: "read",
      output: serverStateSchema,
      run: ({ services }) => services.system.state(),
    }),
    info: read({
      rest: "GET /system/info",
      summary: "Get what the settings page shows: the database, the configuration, limits and counts",
      allow: "read",
      output: systemInfoSchema,
      run: ({ services }) => services.system.info(),
    }),
    problems: read({
      rest: "GET /system/problems",
      summary: "List what could not be loaded: 50 a page",
      allow: "read",
      input: pageQuery.pick({ cursor: true }),
      output: describePage(loadProblemSchema).extend({ count: z.number().int().describe("All of them") }),
      run({ services }, { cursor = 0 }) {
        const page = services.system.problems(cursor);
        return { ...page, ...toPage(page) };
      },
    }),
    resume: act({
      rest: "POST /system/resume",
      summary: "Make a server whose database is a copy the original: what is paused begins",
      allow: "administer",
      output: z.object({ resumed: pauseSchema }),
      audit: {
        target: () => ({ kind: "server", name: "this server" }),
        after: ({ resumed }) => ({ paused: resumed }),
      },
      run: async ({ services, actor }) => ({ resumed: await services.system.resume(actor) }),
      cli: {
        words: "resume",
        summary: "Make a paused server, whose database is a copy, the original",
        details: `From then on ${PAUSED_WORK} go on here. Stop the server that the copy was made of first.`,
        examples: [
          ["toolroom resume", "after a restore that replaces the original"],
          ["toolroom resume --data ~/toolroom --json", "the one with this data, as JSON"],
        ],
        say: (_, _name, url) => `${url} is the original now. What was paused goes on.`,
      },
    }),
    deleteDamaged: act({
      rest: "DELETE /system/damaged",
      summary: "Delete a stored thing that cannot be read",
      allow: "administer",
      input: z.object({ kind: damagedKindSchema, name: z.string().max(300) }),
      audit: { target: ({ kind, name }) => ({ kind, name }), after: () => ({ damaged: true }) },
      run: ({ services, actor }, input) => services.system.deleteDamaged(actor, input),
    }),
  },
  { under: "" },
);
