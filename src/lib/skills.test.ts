import { describe, expect, it } from "vitest";
import { declaresSkills, getSkillRoot, readSkill } from "./skills";

const DIGEST = `sha256:${"a".repeat(64)}`;
const file = (uri: string, size = 1) => ({ uri, digest: DIGEST, size });
const ENTRY = {
  uri: "skill://acme/refunds/SKILL.md",
  frontmatter: { name: "refunds", description: "Refunds", "allowed-tools": "Bash" },
  resources: [file("skill://acme/refunds/SKILL.md"), file("skill://acme/refunds/examples/a.md")],
};

describe("an entry of a list of skills", () => {
  it("is read with its frontmatter as its author wrote it", () => {
    expect(readSkill(ENTRY)).toEqual({
      uri: ENTRY.uri,
      name: "refunds",
      description: "Refunds",
      frontmatter: ENTRY.frontmatter,
      files: ENTRY.resources,
    });
    expect(readSkill({ ...ENTRY, resources: "dynamic" })).toMatchObject({ files: null });
  });

  it("may have 512 files of 16 MiB together, and no more", () => {
    const others = Array.from({ length: 511 }, (_, at) => file(`skill://acme/refunds/${at}`, 1024));
    const [manifest] = ENTRY.resources;
    expect(readSkill({ ...ENTRY, resources: [manifest, ...others] })).toHaveProperty("files");
    const more = [manifest, ...others, file("skill://acme/refunds/more")];
    expect(readSkill({ ...ENTRY, resources: more })).toHaveProperty("problem");
    const large = [file(ENTRY.uri, 16_777_216), file("skill://acme/refunds/more")];
    expect(readSkill({ ...ENTRY, resources: large })).toHaveProperty("problem");
  });

  const [manifest, example] = ENTRY.resources;
  const frontmatter = (changed: object) => ({ ...ENTRY, frontmatter: { ...ENTRY.frontmatter, ...changed } });
  const resources = (...changed: unknown[]) => ({ ...ENTRY, resources: changed });
  it.each<[string, unknown]>([
    ["no object", "skill"],
    ["no SKILL.md", { ...ENTRY, uri: "skill://acme/refunds" }],
    ["no frontmatter", { ...ENTRY, frontmatter: null }],
    ["no name", frontmatter({ name: 7 })],
    ["another name than its folder", frontmatter({ name: "refund" })],
    ["a name with capitals", { ...frontmatter({ name: "Refunds" }), uri: "skill://acme/Refunds/SKILL.md" }],
    ["no description", frontmatter({ description: "" })],
    ["a long description", frontmatter({ description: "x".repeat(1025) })],
    ["no files", { ...ENTRY, resources: undefined }],
    ["another word for generated", { ...ENTRY, resources: "static" }],
    ["no file for its SKILL.md", resources(example)],
    ["a file twice", resources(manifest, manifest)],
    ["a file outside of its folder", resources(manifest, file("skill://acme/refunds-2/SKILL.md"))],
    ["a digest of another kind", resources({ ...manifest, digest: DIGEST.toUpperCase() })],
    ["no digest", resources({ uri: ENTRY.uri, size: 1 })],
    ["no size", resources({ uri: ENTRY.uri, digest: DIGEST })],
    ["a negative size", resources({ ...manifest, size: -1 })],
    ["a size that is no integer", resources({ ...manifest, size: 1.5 })],
    ["null among its files", resources(manifest, null)],
  ])("is left out with %s", (_what, entry) => {
    expect(readSkill(entry)).toEqual({ problem: expect.any(String) });
  });
});

it("the folder of a skill is its URI without the file", () => {
  expect(getSkillRoot("skill://acme/refunds/SKILL.md")).toBe("skill://acme/refunds");
});

it("a server declares skills as an own member of its extensions", () => {
  expect(declaresSkills({ extensions: { "io.modelcontextprotocol/skills": {} } })).toBe(true);
  for (const capabilities of [null, {}, { extensions: null }, { extensions: {} }, { extensions: [] }]) {
    expect(declaresSkills(capabilities)).toBe(false);
  }
});
