import type { ConformanceCheck } from "../../../../lib/contract/conformance";
import { isPlainObject } from "../../../../lib/contract/json";
import { type Peer, STATELESS_REVISION } from "../peer";
import { chooseRevisions, listScenarios, runScenario, type Scenario, type SuiteProgram, toRow } from "./run-scenario";
import { SCENARIO_NEEDS, type ScenarioNeeds } from "./scenario-needs";

export interface SuiteSubject {
  peer: Peer;
  transport: "http" | "stdio";
  /** The server's own address is one of this machine, without TLS. */
  isLocal: boolean;
  demandsToken: boolean;
}

interface PlannedScenario extends Scenario {
  /** Why it does not apply; null where it runs. */
  skipped: string | null;
}

/** The scenarios of the server's revisions, each with what it lacks. */
export async function planScenarios(program: SuiteProgram, subject: SuiteSubject): Promise<PlannedScenario[]> {
  const all = await listScenarios(program);
  const isLast = ({ name }: { name: string }): boolean => SCENARIO_NEEDS[name]?.leavesRequests === true;
  return [...all.filter((each) => !isLast(each)), ...all.filter(isLast)].flatMap(({ name, revisions }) =>
    chooseRevisions(revisions, subject.peer.revisions, STATELESS_REVISION).map((revision) => ({
      name,
      revision,
      skipped: explainLack(name, subject),
    })),
  );
}

export async function runPlanned(
  program: SuiteProgram,
  { skipped, ...scenario }: PlannedScenario,
  url: URL,
): Promise<ConformanceCheck[]> {
  if (skipped !== null) return [{ ...toRow(scenario), outcome: "skipped", message: skipped }];
  return await runScenario(program, scenario, url);
}

/** Null where the server has all that the scenario needs. */
export function explainLack(name: string, subject: SuiteSubject): string | null {
  const needs = Object.hasOwn(SCENARIO_NEEDS, name) ? SCENARIO_NEEDS[name] : undefined;
  if (needs === undefined) return "Toolroom does not know what this scenario calls";
  return explainSurroundings(needs, subject) ?? explainFixtures(needs, subject.peer);
}

function explainSurroundings(needs: ScenarioNeeds, { transport, isLocal, demandsToken, peer }: SuiteSubject) {
  if (needs.http && transport === "stdio") return "Tests HTTP: this server speaks over its standard streams";
  if (needs.local && (!isLocal || demandsToken)) return "Only for servers of this machine without TLS and credentials";
  if (needs.capability !== undefined && !Object.hasOwn(peer.capabilities, needs.capability)) {
    return `The server declares no ${needs.capability}`;
  }
  const { extensions } = peer.capabilities;
  const hasExtension = isPlainObject(extensions) && Object.hasOwn(extensions, needs.extension ?? "");
  return needs.extension === undefined || hasExtension ? null : `The server does not declare ${needs.extension}`;
}

function explainFixtures(needs: ScenarioNeeds, peer: Peer): string | null {
  const lists = [
    ["tool", needs.tools, peer.tools],
    ["prompt", needs.prompts, peer.prompts],
    ["resource", needs.resources, peer.resources],
    ["resource template", needs.templates, peer.templates],
  ] as const;
  for (const [what, needed = [], known] of lists) {
    const missing = needed.find((each) => !known.includes(each));
    if (missing !== undefined) return `Needs the ${what} '${missing}', which is the suite's own`;
  }
  const first = needs.ownFirstTool ? peer.tools[0] : needs.ownHeaderTool ? peer.headerTools[0] : undefined;
  return first === undefined || isOwnTool(first) ? null : `Would call the server's tool '${first}'`;
}

const isOwnTool = (name: string): boolean =>
  Object.values(SCENARIO_NEEDS).some(({ tools = [] }) => tools.includes(name)) || name.startsWith("test_");
