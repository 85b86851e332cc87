import { z } from "zod";
import { contentAnswerSchema, serverSkillSchema } from "../../../lib/contract/server-content";
import { act, operations, read } from "../../platform/api/operation";

const name = z.string().min(1).max(200);

/** The operations on skills of MCP servers. */
export const skillOperations = operations(
  "skills",
  {
    list: read({
      rest: "GET /servers/{name}/skills",
      summary: "List the skills of a server, with the digests of their files",
      allow: "run",
      input: z.object({ name }),
      output: z.array(serverSkillSchema),
      run: ({ services, actor }, input) => services.content.skills(actor, input.name),
      cli: {
        words: "list <server>",
        fields: { server: "name" },
        summary: "List a server's skills",
        examples: [
          ["toolroom skills list github", "as a table"],
          ["toolroom skills list github --json", "with the digest of each file, as JSON"],
        ],
        table: {
          columns: {
            NAME: ({ name: each }) => each,
            FILES: ({ files }) => (files === null ? "generated" : String(files.length)),
            URI: ({ uri }) => uri,
          },
          empty: "The server has no skills.",
        },
      },
    }),
    read: act({
      rest: "POST /servers/{name}/skills/read",
      summary: "Read a file, checked against its digest. The read is recorded as an execution",
      allow: "run",
      input: z.object({
        name,
        uri: z.string().min(1).max(8192).describe("The URI of the skill, or of one of its files"),
      }),
      output: contentAnswerSchema,
      audit: { unrecorded: "The execution records it", target: (input) => ({ kind: "server", name: input.name }) },
      run: ({ services, actor }, input) => services.content.readSkill(actor, input.name, input.uri),
      cli: {
        words: "read <server> <uri>",
        fields: { server: "name" },
        summary: "Read a file, checked against its digest",
        examples: [
          ["toolroom skills read github skill://review/SKILL.md", "its instructions"],
          ["toolroom skills read github skill://review/SKILL.md --json", "the whole answer, as JSON"],
        ],
        print: ({ text }) => [{ lines: readTexts(text) }],
      },
    }),
  },
  {
    summary: "List and read skills of MCP servers",
    examples: ["toolroom skills list github", "toolroom skills read github skill://review/SKILL.md"],
  },
);

const contentsSchema = z.object({ contents: z.array(z.object({ text: z.string().optional() })) });

/** The lines of a file; the answer itself where it is no text. */
function readTexts(answer: string): string[] {
  const read = contentsSchema.safeParse(JSON.parse(answer));
  const texts = read.success ? read.data.contents.flatMap(({ text }) => text ?? []) : [];
  return (texts.length === 0 ? answer : texts.join("\n")).replace(/\n$/, "").split("\n");
}
