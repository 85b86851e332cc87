import { execFileSync } from "node:child_process";
import { mkdtempSync, readFileSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { deflateRawSync } from "node:zlib";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { readArchive } from "./read-archive";
import { type FolderFile, readSkillFolder } from "./skill-folder";
import { skillFolders, toFile, writeInstructions } from "./skills.test-support";
import { writeArchive } from "./write-archive";

const SKILL = toFile("SKILL.md", writeInstructions("steps"));
/** Comparing buffers byte by byte is slow. */
const toText = ({ path: name, bytes }: FolderFile): string => `${name} ${Buffer.from(bytes).toString("base64")}`;

describe("an archive that Toolroom writes", () => {
  it("gives back the paths and bytes of every folder", async () => {
    await fc.assert(
      fc.asyncProperty(skillFolders, async ({ name, files }) => {
        const read = await readArchive(writeArchive(name, files));
        const expected = files.map((file) => ({ ...file, path: `${name}/${file.path}` }));
        expect(read.map(toText).sort()).toEqual(expected.map(toText).sort());
      }),
      { numRuns: 150 },
    );
  });

  it("is one that another program reads, with the text and mode of each file", () => {
    const folder = mkdtempSync(path.join(tmpdir(), "archive-"));
    const file = path.join(folder, "steps.zip");
    writeFileSync(file, writeArchive("steps", [SKILL, toFile("references/ü.md", "Grüße")]));
    const script = `
import json, sys, zipfile
with zipfile.ZipFile(sys.argv[1]) as archive:
    assert archive.testzip() is None
    print(json.dumps([[i.filename, i.external_attr >> 16, archive.read(i).decode()] for i in archive.infolist()]))`;
    const read: unknown = JSON.parse(execFileSync("python3", ["-c", script, file], { encoding: "utf8" }));
    expect(read).toEqual([
      ["steps/SKILL.md", 0o100_644, readFileSync(file).includes("How to steps") && writeInstructions("steps")],
      ["steps/references/ü.md", 0o100_644, "Grüße"],
    ]);
  });
});

/** An archive whose entry is changed where the format has a field. */
function forge(change: (archive: Buffer, local: number, central: number) => void, file = SKILL): Buffer {
  const archive = writeArchive("steps", [file]);
  change(archive, 0, archive.indexOf(Buffer.from([0x50, 0x4b, 0x01, 0x02])));
  return archive;
}

/** An archive of one deflated entry that says it has `declared` bytes. */
function deflated(content: Buffer, declared: number, crc: number): Buffer {
  const packed = deflateRawSync(content);
  return forge(
    (archive, local, central) => {
      archive.writeUInt16LE(8, local + 8);
      archive.writeUInt16LE(8, central + 10);
      archive.writeUInt32LE(crc, central + 16);
      archive.writeUInt32LE(declared, local + 22);
      archive.writeUInt32LE(declared, central + 24);
    },
    toFile("SKILL.md", packed),
  );
}

const longPath = `${"a".repeat(99)}/${"b".repeat(99)}/${"c".repeat(99)}`;
const named = (name: string): Buffer => {
  const archive = writeArchive("x", [toFile("y".repeat(Buffer.byteLength(name) - 2), "text")]);
  const wanted = Buffer.from(name);
  const standing = Buffer.from(`x/${"y".repeat(wanted.length - 2)}`);
  for (let at = archive.indexOf(standing); at >= 0; at = archive.indexOf(standing, at)) wanted.copy(archive, at);
  return archive;
};

const HOSTILE: readonly (readonly [what: string, archive: Buffer, reason: RegExp])[] = [
  ["no archive", Buffer.from("not a zip"), /^archive is not a zip archive/],
  ["nothing", Buffer.alloc(0), /^archive is not a zip archive/],
  ["a path out of the folder", named("../../SKILL.md"), /"\.\.\/\.\.\/SKILL\.md" leads out/],
  ["a path out of a folder in it", named("steps/../../x.md"), /"steps\/\.\.\/\.\.\/x\.md" leads out/],
  ["an absolute path", named("/etc/passwd"), /"\/etc\/passwd" leads out/],
  ["a drive", named("C:/x/SKILL.md"), /"C:\/x\/SKILL\.md" /],
  ["a backslash", named("steps\\SKILL.md"), /has a backslash/],
  ["NUL in a name", named("steps/SKILL.md\0.txt"), /"steps\/SKILL\.md\\u0000\.txt" must not have control/],
  ["a name of a device", named("steps/aux.md"), /"steps\/aux\.md" has the name aux\.md, which Windows keeps/],
  ["a long path", named(longPath), /is longer than 200 characters/],
  [
    "an encrypted entry",
    forge((archive, _, at) => {
      archive.writeUInt16LE(0x801, at + 8);
      // A header of 12 bytes comes before the content.
      archive.writeUInt32LE(SKILL.bytes.length - 12, at + 24);
    }),
    /"steps\/SKILL\.md" is encrypted/,
  ],
  [
    "a symbolic link",
    forge((archive, _, at) => archive.writeUInt32LE(0o120_777 * 65_536, at + 38)),
    /"steps\/SKILL\.md" is a link or a device/,
  ],
  ["a device", forge((archive, _, at) => archive.writeUInt32LE(0o020_666 * 65_536, at + 38)), /is a link or a device/],
  ["another compression", forge((archive, _, at) => archive.writeUInt16LE(14, at + 10)), /in another way than deflate/],
  [
    "a checksum of other bytes",
    forge((archive, _, at) => archive.writeUInt32LE(1, at + 16)),
    /"steps\/SKILL\.md" is damaged/,
  ],
  ["a bomb that says its size", deflated(Buffer.alloc(50_000_000), 50_000_000, 0), /has 50000000 bytes, more than/],
  [
    "a bomb that says another size",
    deflated(Buffer.alloc(50_000_000), 100, 0),
    /SKILL\.md" cannot be decompressed: too many bytes/,
  ],
  ["fewer bytes than it says", deflated(Buffer.from("short"), 100, 0), /cannot be decompressed: not enough bytes/],
  [
    "files that are too large together",
    writeArchive(
      "a",
      [1, 2, 3, 4].map((at) => toFile(`${at}.bin`, Buffer.alloc(2_000_000))),
    ),
    /^archive (has \d+ bytes, more than|: "a\/4\.bin" makes)/,
  ],
  [
    "too many files",
    writeArchive(
      "a",
      Array.from({ length: 201 }, (_, at) => toFile(`${at}.md`, "")),
    ),
    /^archive has more than the 200 files allowed/,
  ],
  [
    "too many entries",
    writeArchive(
      "a",
      Array.from({ length: 1001 }, (_, at) => toFile(`${at}.md`, "")),
    ),
    /^archive has 1001 entries, more than the 1000 allowed/,
  ],
];

describe("an archive that must not be read", () => {
  it.each(HOSTILE)("with %s is refused with the entry and the reason", async (_what, archive, reason) => {
    const refusal = await readArchive(archive).then(
      () => null,
      (error: unknown) => error as { name: string; code: string; message: string },
    );
    expect(refusal).toMatchObject({ name: "AppError", code: "INVALID", message: expect.stringMatching(reason) });
  });

  it("is refused with an AppError wherever bytes are changed or cut, or read as files that pass every check", async () => {
    const whole = writeArchive("steps", [SKILL, toFile("references/more.md", "More.".repeat(40))]);
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.tuple(fc.nat(whole.length - 1), fc.nat(255)), { maxLength: 6 }),
        fc.nat(whole.length),
        fc.boolean(),
        async (changes, length, isCut) => {
          const archive = Buffer.from(whole);
          for (const [at, byte] of changes) archive[at] = byte;
          const sent = isCut ? archive.subarray(0, length) : archive;
          const outcome = await readArchive(sent).catch((error: unknown) => error as Error);
          if (outcome instanceof Error) expect(outcome.name).toBe("AppError");
          else for (const { path: name } of outcome) expect(name).not.toMatch(/\.\.|^\/|\0|\\/);
        },
      ),
      { numRuns: 400 },
    );
  });
});

describe("the files of a skill", () => {
  it.each([
    ["without SKILL.md", [toFile("skill.md", writeInstructions("steps"))], /files: has no SKILL\.md/],
    ["of one name in two cases", [SKILL, toFile("a.md", ""), toFile("A.md", "")], /A\.md: is a\.md where letter case/],
    ["with a file that is a folder", [SKILL, toFile("a", ""), toFile("a/b", "")], /a\/b: is in a, which is a file/],
    ["with a folder that is a file", [SKILL, toFile("a/b", ""), toFile("a", "")], /a: is a folder too, with a\/b/],
    ["without front matter", [toFile("SKILL.md", "# Steps")], /SKILL\.md: must begin with front matter/],
    ["with broken YAML", [toFile("SKILL.md", "---\nname: [a\n---\n")], /SKILL\.md: the front matter is not YAML/],
    [
      "with aliases that grow",
      [toFile("SKILL.md", "---\nname: a\ndescription: x\nb: &b [1]\nc: [*b, *b]\n---\n")],
      /the front matter is not YAML/,
    ],
    ["without a description", [toFile("SKILL.md", "---\nname: steps\n---\n")], /needs name and description/],
    ["with a name of capitals", [toFile("SKILL.md", writeInstructions("Steps"))], /name in the front matter must be/],
    ["that are no text", [toFile("SKILL.md", Buffer.from([0xff, 0x2d]))], /SKILL\.md: must be UTF-8 text/],
    ["with a large file", [SKILL, toFile("a.bin", Buffer.alloc(2_097_153))], /a\.bin: has 2097153 bytes, more than/],
  ])("%s are refused with the file and the reason", async (_what, files, reason) => {
    await expect(readSkillFolder(files)).rejects.toMatchObject({
      code: "INVALID",
      message: expect.stringMatching(reason),
    });
  });

  it("have one digest, whatever their order", async () => {
    await fc.assert(
      fc.asyncProperty(skillFolders, async ({ name, files }) => {
        const folder = await readSkillFolder(files);
        expect(folder.name).toBe(name);
        expect((await readSkillFolder([...files].reverse())).digest).toBe(folder.digest);
      }),
      { numRuns: 60 },
    );
  });
});
