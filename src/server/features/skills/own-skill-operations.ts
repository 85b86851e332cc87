import { z } from "zod";
import {
  type OwnSkillSummary,
  ownSkillSchema,
  ownSkillSummarySchema,
  skillFilesInputSchema,
  skillVersionDetailSchema,
  skillVersionSchema,
} from "../../../lib/contract/own-skill";
import { rowNumber } from "../../../lib/contract/row-number";
import { formatPlural } from "../../../lib/format/count";
import { act, operations, read } from "../../platform/api/operation";
import { revision } from "../../platform/api/revision-input";
import { toDownloadHeaders } from "../../platform/shared/responses";

const name = z.string().min(1).max(100);
const byName = z.object({ name });
/** The number of a version. */
const number = rowNumber.min(1);
const byVersion = z.object({ name, number });
const files = skillFilesInputSchema.describe("All files of the skill, with a `SKILL.md`; none of the others stays");
/** The characters of base64 for the largest archive. */
const MAX_ARCHIVE_CHARS = 7_200_000;

/** The texts of files are in the versions. */
const toState = (skill: OwnSkillSummary) => ({
  name: skill.name,
  description: skill.description,
  version: skill.version,
  digest: skill.digest,
  fileCount: skill.fileCount,
  bytes: skill.bytes,
});

/** Skills of the team. `toolroom skills import` is a command of its own: it reads a folder or an archive. */
export const ownSkillOperations = operations(
  "ownSkills",
  {
    list: read({
      rest: "GET /skills",
      summary: "List the team's skills by name",
      allow: "read",
      output: z.array(ownSkillSummarySchema),
      pagedBy: (skill: OwnSkillSummary) => skill.name,
      run: ({ services }) => services.ownSkills.list(),
      cli: {
        words: "own",
        summary: "List the team's skills",
        examples: [
          ["toolroom skills own", "as a table"],
          ["toolroom skills own --json", "with the digest of each, as JSON"],
        ],
        table: {
          columns: {
            NAME: (skill) => skill.name,
            VERSION: (skill) => String(skill.version),
            FILES: ({ fileCount }) => String(fileCount),
            DESCRIPTION: ({ description }) => description,
          },
          empty: "The team has no skills. Import one with: toolroom skills import",
        },
      },
    }),
    create: act({
      rest: "POST /skills",
      summary: "Create a skill of files; its name is that in the front matter of its `SKILL.md`",
      allow: "edit",
      input: z.strictObject({ files }),
      output: ownSkillSchema,
      status: 201,
      versioned: true,
      audit: { target: (_, made) => ({ kind: "skill", name: made?.name ?? "" }), after: toState },
      run: ({ services, actor }, input) => services.ownSkills.create(actor, input.files),
    }),
    import: act({
      rest: "POST /skills/import",
      summary: "Import a skill, from the files of a folder or a zip archive: all of it or nothing",
      allow: "edit",
      input: z.strictObject({
        archive: z.base64().max(MAX_ARCHIVE_CHARS).optional().describe("A zip archive, in base64"),
        files: files.optional().describe("The files of a folder; one folder that all of them are in is left out"),
        replace: z.boolean().default(false).describe("Make it the next version of the skill that has the name"),
      }),
      output: ownSkillSchema,
      status: 201,
      versioned: true,
      audit: { target: (_, made) => ({ kind: "skill", name: made?.name ?? "" }), after: toState },
      run: ({ services, actor }, input) => services.ownSkills.import(actor, input),
    }),
    get: read({
      rest: "GET /skills/{name}",
      summary: "Get a skill with the texts of its files",
      allow: "read",
      input: byName,
      output: ownSkillSchema,
      versioned: true,
      run: ({ services }, input) => services.ownSkills.get(input.name),
      cli: {
        words: "show <name>",
        summary: "Print its SKILL.md",
        examples: [
          ["toolroom skills show review-a-refund", "its instructions"],
          ["toolroom skills show review-a-refund --json", "with all files, as JSON"],
        ],
        print: (skill) => [{ lines: (skill.files[0]?.text ?? "").replace(/\n$/, "").split("\n") }],
      },
    }),
    update: act({
      rest: "PUT /skills/{name}",
      summary: "Replace the files of a skill, as its next version",
      allow: "edit",
      input: z.strictObject({ name, files, revision }),
      output: ownSkillSchema,
      versioned: async ({ ownSkills }, input) => (await ownSkills.get(input.name)).lastEdit,
      audit: {
        target: (input) => ({ kind: "skill", name: input.name }),
        state: ({ ownSkills }, input) => toState(ownSkills.describe(input.name)),
      },
      run: ({ services, actor }, input) => services.ownSkills.update(actor, input.name, input.files, input.revision),
    }),
    delete: act({
      rest: "DELETE /skills/{name}",
      summary: "Delete a skill with all of its versions",
      allow: "edit",
      input: z.object({ name, revision }),
      versioned: async ({ ownSkills }, input) => (await ownSkills.get(input.name)).lastEdit,
      audit: {
        target: (input) => ({ kind: "skill", name: input.name }),
        state: ({ ownSkills }, input) => toState(ownSkills.describe(input.name)),
      },
      run: async ({ services, actor }, input) => {
        await services.ownSkills.delete(actor, input.name, input.revision);
      },
      cli: {
        words: "delete <name>",
        summary: "Delete a skill",
        examples: [
          ["toolroom skills delete review-a-refund", "from the Toolroom in use"],
          ["toolroom skills delete review-a-refund --toolroom https://tools.example.com", "from another one"],
        ],
        say: (_, given) => `Deleted ${given}.`,
      },
    }),
    versions: read({
      rest: "GET /skills/{name}/versions",
      summary: "List its versions, newest first. The newest 100 are kept",
      allow: "read",
      input: byName,
      output: z.array(skillVersionSchema),
      run: ({ services }, input) => services.ownSkills.versions(input.name),
      cli: {
        words: "versions <name>",
        summary: "List its versions, newest first",
        examples: [
          ["toolroom skills versions review-a-refund", "as a table"],
          ["toolroom skills versions review-a-refund --json", "with their digests, as JSON"],
        ],
        table: {
          columns: {
            VERSION: (each) => String(each.version),
            FROM: ({ cause }) => cause,
            AT: ({ at }) => new Date(at).toISOString(),
            BY: ({ by }) => by ?? "",
            FILES: ({ fileCount }) => String(fileCount),
          },
          empty: (of) => `${of} has no versions.`,
        },
      },
    }),
    version: read({
      rest: "GET /skills/{name}/versions/{number}",
      summary: "Get a version, with the texts of its files",
      allow: "read",
      input: byVersion,
      output: skillVersionDetailSchema,
      run: ({ services }, input) => services.ownSkills.version(input.name, input.number),
    }),
    restore: act({
      rest: "POST /skills/{name}/versions/{number}/restore",
      summary: "Make an earlier version the newest",
      allow: "edit",
      input: byVersion.extend({ revision }),
      output: ownSkillSchema,
      versioned: async ({ ownSkills }, input) => (await ownSkills.get(input.name)).lastEdit,
      audit: {
        target: (input) => ({ kind: "skill", name: input.name }),
        state: ({ ownSkills }, input) => toState(ownSkills.describe(input.name)),
      },
      run: ({ services, actor }, input) => services.ownSkills.restore(actor, input.name, input.number, input.revision),
      cli: {
        words: "restore <name> <number>",
        summary: "Make an earlier version the newest",
        examples: [
          ["toolroom skills restore review-a-refund 3", "version 3, as a new version"],
          ["toolroom skills restore review-a-refund 3 --json", "the skill, as JSON"],
        ],
        say: (skill) => `${skill.name} has version ${skill.version}, with ${formatPlural(skill.fileCount, "file")}.`,
      },
    }),
    export: read({
      rest: "GET /skills/{name}/archive",
      summary: "Export a zip archive. The same files give the same bytes",
      allow: "read",
      input: byName,
      output: z.object({ fileName: z.string(), base64: z.string() }),
      download: {
        type: "application/zip",
        respond: ({ fileName, base64 }) =>
          new Response(Buffer.from(base64, "base64"), { headers: toDownloadHeaders(fileName, "application/zip") }),
      },
      run: ({ services }, input) => services.ownSkills.export(input.name),
      cli: {
        words: "export <name>",
        summary: "Export a zip archive",
        examples: [
          ["toolroom skills export review-a-refund -o review-a-refund.zip", "into a file"],
          ["toolroom skills export review-a-refund > review-a-refund.zip", "by a pipe"],
        ],
      },
    }),
  },
  { under: "skills" },
);
