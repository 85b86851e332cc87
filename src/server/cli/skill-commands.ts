import { readdir, readFile, stat } from "node:fs/promises";
import path from "node:path";
import type { Command } from "commander";
import type { OwnSkill, SkillFileInput } from "../../lib/contract/own-skill";
import { MAX_SKILL_ARCHIVE_BYTES, MAX_SKILL_BYTES, MAX_SKILL_FILES } from "../../lib/contract/skill-limits";
import { formatPlural } from "../../lib/format/count";
import { getMessage } from "../../lib/get-message";
import { isLeftover } from "../../lib/skill-files";
import { skillOperations } from "../features/content/skill-operations";
import { ownSkillOperations } from "../features/skills/own-skill-operations";
import { openApi } from "./api-client";
import { usageError } from "./command-error";
import type { CommandIo } from "./command-io";
import { addServerOptions, defineCommand, type ServerOptions } from "./define-command";
import { addOperationCommands } from "./operation-commands";
import { write, writeJson } from "./output";

interface ImportOptions extends ServerOptions {
  replace?: boolean;
}

export function addSkillCommands(program: Command, io: CommandIo): void {
  const skills = addOperationCommands(program, skillOperations, io);
  addOperationCommands(program, ownSkillOperations, io);
  const imports = defineCommand(skills, {
    syntax: "import <path>",
    summary: "Import a folder or zip archive",
    details: "Stores all files or nothing. Links in a folder are refused, since they lead elsewhere.",
    examples: [
      ["toolroom skills import skills/review-a-refund", "a folder"],
      ["toolroom skills import review-a-refund.zip --replace", "an archive, as the next version"],
    ],
  }).option("--replace", "make it the next version of the skill that has the name");
  addServerOptions(imports, "print the skill as POST /api/v1/skills/import returns it").action(
    (source: string, options: ImportOptions) => importSkill(source, options, io),
  );
}

async function importSkill(source: string, { replace, json, ...choice }: ImportOptions, io: CommandIo): Promise<void> {
  const content = await readSource(path.resolve(io.cwd, source));
  const api = await openApi(choice, io);
  const body = JSON.stringify({ ...content, replace: replace === true });
  const text = await api.sendText("POST", "/skills/import", body);
  if (json) return await writeJson(io, text);
  const { name, version, fileCount } = JSON.parse(text) as OwnSkill;
  await write(io.stdout, `Imported ${name}, version ${version}, with ${formatPlural(fileCount, "file")}.\n`);
}

/** @throws CommandError where the path cannot be read, or is larger than a skill may be */
async function readSource(source: string): Promise<{ archive: string } | { files: SkillFileInput[] }> {
  try {
    const found = await stat(source);
    if (found.isDirectory()) return { files: await readFolder(source) };
    if (found.size > MAX_SKILL_ARCHIVE_BYTES)
      throw usageError(`${source} is larger than ${MAX_SKILL_ARCHIVE_BYTES} bytes.`);
    return { archive: (await readFile(source)).toString("base64") };
  } catch (error) {
    if (error instanceof Error && "syscall" in error) throw usageError(`It cannot be read: ${getMessage(error)}.`);
    throw error;
  }
}

async function readFolder(folder: string): Promise<SkillFileInput[]> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true });
  const files: SkillFileInput[] = [];
  let bytes = 0;
  for (const entry of entries.sort(compareEntries)) {
    const file = path.join(entry.parentPath, entry.name);
    const name = path.relative(folder, file).split(path.sep).join("/");
    if (entry.isDirectory() || isLeftover(name)) continue;
    if (!entry.isFile()) throw usageError(`${name} is a link or a device, not a file: leave it out.`);
    bytes += (await stat(file)).size;
    if (files.length === MAX_SKILL_FILES) throw usageError(`The folder has more than ${MAX_SKILL_FILES} files.`);
    if (bytes > MAX_SKILL_BYTES) throw usageError(`The files have more than ${MAX_SKILL_BYTES} bytes together.`);
    files.push({ path: name, base64: (await readFile(file)).toString("base64") });
  }
  return files;
}

const compareEntries = (left: { name: string }, right: { name: string }): number => (left.name < right.name ? -1 : 1);
