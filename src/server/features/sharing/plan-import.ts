import { createHash } from "node:crypto";
import { explainDenial, type Principal } from "../../../lib/contract/access";
import type { ImportEntry, ImportPreview, ImportProgress } from "../../../lib/contract/catalog-file";
import { TimeSlice } from "../../engine/time-slice";
import { type PlannedRuleCase, planRuleCase } from "./plan-rule-cases";
import { type PlannedRule, planRule } from "./plan-rules";
import { type PlannedServer, planServer, readFileServer, readFoundServer } from "./plan-servers";
import { type PlannedSkill, planSkill } from "./plan-skills";
import { type PlannedTool, planTool } from "./plan-tools";
import { type PlannedToolset, planToolset } from "./plan-toolsets";
import type { ReadFile } from "./read-file";
import type { SharingPorts } from "./sharing-ports";

export interface ImportPlan {
  preview: ImportPreview;
  tools: PlannedTool[];
  servers: PlannedServer[];
  toolsets: PlannedToolset[];
  skills: PlannedSkill[];
  rules: PlannedRule[];
  ruleCases: PlannedRuleCase[];
}

/** An error of the listener ends the comparison. */
export type OnImportProgress = (progress: ImportProgress) => void;

/** Compares every entry of a file with the catalog as it is now. Large files are compared in slices. */
export async function planImport(
  ports: SharingPorts,
  principal: Principal,
  text: string,
  file: ReadFile,
  onProgress: OnImportProgress = () => undefined,
): Promise<ImportPlan> {
  const slice = new TimeSlice();
  const submitted = file.format === "catalogue" ? file.servers.map(readFileServer) : file.found.map(readFoundServer);
  const sections = [file.tools, submitted, file.toolsets, file.skills, file.rules, file.ruleCases];
  const total = sections.reduce((sum, { length }) => sum + length, 0);
  const pause = (): Promise<void> | undefined => {
    const pausing = slice.pause();
    if (pausing !== undefined)
      onProgress({
        done: tools.length + servers.length + toolsets.length + skills.length + rules.length + ruleCases.length,
        total,
      });
    return pausing;
  };
  const tools: PlannedTool[] = [];
  const servers: PlannedServer[] = [];
  const toolsets: PlannedToolset[] = [];
  const skills: PlannedSkill[] = [];
  const rules: PlannedRule[] = [];
  const ruleCases: PlannedRuleCase[] = [];
  const ruleNames = new Set<string>();
  const caseNames = new Set<string>();
  const toolNames = new Set<string>();
  const serverNames = new Set<string>();
  const toolsetNames = new Set<string>();
  const skillNames = new Set<string>();
  if (file.problems.length === 0 || file.format === "servers") {
    const isTaken = (name: string): boolean => toolNames.has(name) || ports.tools.find(name) !== null;
    for (const [position, candidate] of file.tools.entries()) {
      const planned = planTool(ports, candidate, position, isTaken);
      tools.push({ ...planned, entry: refuseRepeated(planned.entry, toolNames) });
      await pause();
    }
    const isServer = (name: string): boolean => serverNames.has(name) || ports.servers.has(name);
    for (const [position, server] of submitted.entries()) {
      const planned = planServer(ports, server, position, isServer);
      servers.push({ ...planned, entry: refuseRepeated(planned.entry, serverNames) });
      await pause();
    }
    const isToolset = (name: string): boolean => toolsetNames.has(name) || ports.toolsets.has(name);
    for (const [position, candidate] of file.toolsets.entries()) {
      const planned = planToolset(ports.toolsets, candidate, position, isToolset);
      toolsets.push({ ...planned, entry: refuseRepeated(planned.entry, toolsetNames) });
      await pause();
    }
    const isSkill = (name: string): boolean => skillNames.has(name) || ports.skills.find(name) !== null;
    for (const [position, candidate] of file.skills.entries()) {
      const planned = await planSkill(ports.skills, candidate, position, isSkill);
      skills.push({ ...planned, entry: refuseRepeated(planned.entry, skillNames) });
      await pause();
    }
    const isRule = (name: string): boolean => ruleNames.has(name) || ports.rules.findNamed(name) !== null;
    for (const [position, candidate] of file.rules.entries()) {
      const planned = planRule(ports.rules, candidate, position, isRule);
      rules.push({ ...planned, entry: refuseRepeated(planned.entry, ruleNames) });
      await pause();
    }
    const isCase = (name: string): boolean => caseNames.has(name) || ports.ruleCases.findNamed(name) !== null;
    for (const [position, candidate] of file.ruleCases.entries()) {
      const planned = planRuleCase(ports.ruleCases, candidate, position, isCase);
      ruleCases.push({ ...planned, entry: refuseRepeated(planned.entry, caseNames) });
      await pause();
    }
  }
  const all = [...tools, ...servers, ...toolsets, ...skills, ...rules, ...ruleCases];
  for (const { entry } of all) entry.denied = explainDenial(principal, entry.needs);
  const hash = createHash("sha256").update(text);
  for (const { entry, before } of all) {
    hash.update(JSON.stringify([entry.kind, entry.name, entry.status, before]));
    await pause();
  }
  const { format, problems, notes } = file;
  const entries = all.map(({ entry }) => entry);
  const preview = { format, digest: hash.digest("hex"), entries, problems, notes };
  return { preview, tools, servers, toolsets, skills, rules, ruleCases };
}

function refuseRepeated(entry: ImportEntry, names: Set<string>): ImportEntry {
  if (!names.has(entry.name)) {
    names.add(entry.name);
    return entry;
  }
  const problem = { path: "name", message: `'${entry.name}' appears more than once in the file` };
  return { ...entry, status: "invalid", problems: [...entry.problems, problem] };
}
