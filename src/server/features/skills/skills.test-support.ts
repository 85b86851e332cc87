import fc from "fast-check";
import { findPathProblems, SKILL_FILE } from "../../../lib/skill-files";
import type { FolderFile } from "./skill-folder";

export const ADA = { id: "ada", name: "Ada" };
export const BEN = { id: "ben", name: "Ben" };

/** The text of a `SKILL.md`. */
export const writeInstructions = (name: string, body = "Do it.", description = `How to ${name}`): string =>
  `---\nname: ${name}\ndescription: ${JSON.stringify(description)}\n---\n\n${body}\n`;

export const toFile = (path: string, content: string | Uint8Array): FolderFile => ({
  path,
  bytes: typeof content === "string" ? Buffer.from(content) : content,
});

const nameText = fc.stringMatching(/^[a-z][a-z0-9]{0,8}(-[a-z0-9]{1,8}){0,2}$/);
const segment = fc.oneof(
  fc.stringMatching(/^[A-Za-z0-9_-]{1,12}(\.[a-z]{1,4})?$/),
  fc.constantFrom("steps.md", "ü.md", "日本.txt", "a b.json", "data.bin", "100%.md", "a#b?".replace("?", ""), ".env"),
);
const content = fc.oneof(
  fc.string({ unit: "binary", maxLength: 60 }).map((text) => Buffer.from(text.toWellFormed())),
  fc.uint8Array({ maxLength: 60 }).map((bytes) => Buffer.from(bytes)),
  fc.constantFrom(Buffer.alloc(0), Buffer.from("\u{feff}mark"), Buffer.from([0xff, 0xfe]), Buffer.alloc(70_000, "a")),
);

/** Folders of skills that can be stored: text and bytes of any kind, in folders, in any order. */
export const skillFolders: fc.Arbitrary<{ name: string; files: FolderFile[] }> = fc
  .record({
    name: nameText,
    description: fc.string({ minLength: 1, maxLength: 80 }).filter((text) => text.trim() !== ""),
    body: fc.string({ maxLength: 200 }),
    others: fc.array(fc.tuple(fc.array(segment, { minLength: 1, maxLength: 4 }), content), { maxLength: 6 }),
  })
  .map(({ name, description, body, others }) => {
    const files = [toFile(SKILL_FILE, writeInstructions(name, body, description))];
    for (const [segments, bytes] of others) {
      const file = { path: segments.join("/"), bytes };
      const isFree = findPathProblems([...files, file].map(({ path }) => path)).length === 0;
      if (isFree) files.splice(bytes.length % (files.length + 1), 0, file);
    }
    return { name, files };
  });
