import fc from "fast-check";
import { beforeEach, describe, expect, it } from "vitest";
import type { OwnSkill, SkillFileInput } from "../../../../lib/contract/own-skill";
import { MAX_SKILL_VERSIONS } from "../../../../lib/contract/skill-limits";
import { createOwnSkillService, type OwnSkillService } from "../../../features/skills/own-skill-service";
import type { FolderFile } from "../../../features/skills/skill-folder";
import { ADA, BEN, skillFolders, writeInstructions } from "../../../features/skills/skills.test-support";
import { writeArchive } from "../../../features/skills/write-archive";
import { type CreateDatabase, useDatabase } from "./store-database.test-support";

const SAVE = "SKILL.md";
const BYTES = Buffer.from([0, 255, 1, 254]);

const write = (body: string, name = "steps"): SkillFileInput => ({ path: SAVE, text: writeInstructions(name, body) });
const toInput = ({ path, bytes }: FolderFile): SkillFileInput => ({
  path,
  base64: Buffer.from(bytes).toString("base64"),
});
/** What two skills of equal files have in common. */
const toFiles = ({ files, digest }: Pick<OwnSkill, "files" | "digest">) => ({
  digest,
  files: files.map(({ path, digest: each, size, text }) => ({ path, digest: each, size, text })),
});

export function describeOwnSkills(createDatabase: CreateDatabase): void {
  describe("stored skills of the team", () => {
    const database = useDatabase(createDatabase);
    let now = 1000;
    const clock = { now: () => now++, elapsed: () => 0 };
    let changed: string[] = [];

    async function start(): Promise<OwnSkillService> {
      const store = database().ownSkills({ clock });
      const service = createOwnSkillService({ store, onChange: (_origin, uris) => void changed.push(...uris) });
      await service.load();
      return service;
    }
    let skills: OwnSkillService;
    beforeEach(async () => {
      skills = await start();
      changed = [];
    });

    it("are equal after an import, an export and another import, whatever files they have", async () => {
      await fc.assert(
        fc.asyncProperty(skillFolders, async ({ name, files }) => {
          const first = await skills.import(ADA, { files: files.map(toInput), replace: false });
          const { base64 } = await skills.export(name);
          await skills.delete(ADA, name);
          const second = await skills.import(ADA, { archive: base64, replace: false });
          expect(toFiles(second)).toEqual(toFiles(first));
          expect((await skills.export(name)).base64).toBe(base64);
          await skills.delete(ADA, name);
        }),
        { numRuns: 25 },
      );
      expect(await database().count("SkillBlob")).toBe(0);
    });

    it("survive a restart with every version, whose bytes are stored once", async () => {
      const data = { path: "data.bin", base64: BYTES.toString("base64") };
      await skills.create(ADA, [write("One."), data]);
      const { files } = await skills.get("steps");
      const kept = { path: "moved.bin", digest: files.find(({ path }) => path === "data.bin")?.digest };
      await skills.update(BEN, "steps", [write("Two."), kept]);
      await database().restart();
      skills = await start();
      const skill = await skills.get("steps");
      expect(skill).toMatchObject({ version: 2, fileCount: 2, updatedBy: "Ben", description: "How to steps" });
      expect(skill.files.map(({ path, text }) => [path, text])).toEqual([
        [SAVE, writeInstructions("steps", "Two.")],
        ["moved.bin", null],
      ]);
      expect(await skills.versions("steps")).toMatchObject([
        { version: 2, cause: "edited", by: "Ben", fileCount: 2 },
        { version: 1, cause: "created", by: "Ada", fileCount: 2 },
      ]);
      expect((await skills.version("steps", 1)).files.map(({ path }) => path)).toEqual([SAVE, "data.bin"]);
      expect(await database().count("SkillBlob")).toBe(3);
    });

    it("get the files of an earlier version as their next one", async () => {
      const first = await skills.create(ADA, [write("One."), { path: "more.md", text: "More." }]);
      await skills.update(ADA, "steps", [write("Two.")]);
      const restored = await skills.restore(BEN, "steps", 1, 2);
      expect(toFiles(restored)).toEqual(toFiles(first));
      expect((await skills.versions("steps"))[0]).toMatchObject({ version: 3, cause: "restored", by: "Ben" });
      await expect(skills.restore(ADA, "steps", 9)).rejects.toMatchObject({ code: "NOT_FOUND" });
    });

    it("are edited and deleted by the version that the user saw, or the edit is refused with who changed it", async () => {
      await skills.create(ADA, [write("One.")]);
      await skills.update(BEN, "steps", [write("Two.")], 1);
      const late = expect.stringContaining("Ben");
      const refusal = { code: "CONFLICT", message: late };
      await expect(skills.update(ADA, "steps", [write("Three.")], 1)).rejects.toMatchObject(refusal);
      await expect(skills.delete(ADA, "steps", 1)).rejects.toMatchObject(refusal);
      await expect(skills.restore(ADA, "steps", 1, 1)).rejects.toMatchObject(refusal);
      await skills.delete(ADA, "steps", 2);
      await expect(skills.get("steps")).rejects.toMatchObject({ code: "NOT_FOUND" });
      expect(await database().count("SkillVersion")).toBe(0);
      expect(await database().count("SkillBlob")).toBe(0);
    });

    it("make no version of equal files, and name the files that changed in others", async () => {
      await skills.create(ADA, [write("One."), { path: "more.md", text: "More." }]);
      changed = [];
      const same = await skills.update(BEN, "steps", [{ path: "more.md", text: "More." }, write("One.")]);
      expect(same).toMatchObject({ version: 1, updatedBy: "Ada" });
      expect(changed).toEqual([]);
      await skills.update(BEN, "steps", [write("One."), { path: "sub/ü.md", text: "Else." }]);
      expect(changed.sort()).toEqual(["skill://steps/more.md", "skill://steps/sub/%C3%BC.md"]);
    });

    it("are not stored at all where one file of many is refused", async () => {
      const files = [write("One."), ...Array.from({ length: 20 }, (_, at) => ({ path: `${at}.md`, text: "x" }))];
      const bad = [...files, { path: "../out.md", text: "x" }];
      await expect(skills.create(ADA, bad)).rejects.toMatchObject({
        code: "INVALID",
        message: expect.stringContaining("../out.md: must not have . or .."),
      });
      const folder = [{ path: SAVE, bytes: Buffer.from("no front matter") }];
      const archive = writeArchive("steps", folder).toString("base64");
      await expect(skills.import(ADA, { archive, replace: true })).rejects.toMatchObject({ code: "INVALID" });
      await expect(skills.create(ADA, [{ path: SAVE, digest: "sha256:0" }])).rejects.toThrow(
        /digest is none of a file/,
      );
      await expect(skills.create(ADA, [{ path: SAVE }])).rejects.toThrow(/needs one of text, base64 and digest/);
      for (const table of ["OwnSkill", "SkillVersion", "SkillFile", "SkillBlob"]) {
        expect(await database().count(table)).toBe(0);
      }
    });

    it("have names of their own, which stay", async () => {
      await skills.create(ADA, [write("One.")]);
      const taken = { code: "CONFLICT", message: expect.stringContaining("'steps' is already taken") };
      await expect(skills.create(ADA, [write("Two.")])).rejects.toMatchObject(taken);
      await expect(skills.import(ADA, { files: [write("Two.")], replace: false })).rejects.toMatchObject(taken);
      await expect(skills.update(ADA, "steps", [write("Two.", "other")])).rejects.toThrow(/must stay 'steps'/);
      expect(await skills.import(ADA, { files: [write("Two.")], replace: true })).toMatchObject({ version: 2 });
    });

    it("leave out what systems put into folders, and the one folder that all files are in", async () => {
      const files = [write("One."), { path: "references/a.md", text: "A." }, { path: ".DS_Store", text: "x" }];
      const nested = files.map((file) => ({ ...file, path: `steps/${file.path}` }));
      const leftover = { path: "__MACOSX/steps/._SKILL.md", text: "x" };
      const { files: stored } = await skills.import(ADA, { files: [...nested, leftover], replace: false });
      expect(stored.map(({ path }) => path)).toEqual([SAVE, "references/a.md"]);
    });

    it("keep their newest versions, and the bytes of these alone", async () => {
      await skills.create(ADA, [write("Version 0.")]);
      for (let at = 1; at <= MAX_SKILL_VERSIONS + 1; at += 1)
        await skills.update(ADA, "steps", [write(`Version ${at}.`)]);
      const kept = await skills.versions("steps");
      expect(kept.map(({ version }) => version)).toEqual(
        Array.from({ length: MAX_SKILL_VERSIONS }, (_, at) => MAX_SKILL_VERSIONS + 2 - at),
      );
      expect(await database().count("SkillBlob")).toBe(MAX_SKILL_VERSIONS);
      await expect(skills.version("steps", 1)).rejects.toMatchObject({ code: "NOT_FOUND" });
    });
  });
}
