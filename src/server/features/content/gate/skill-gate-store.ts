import type { Actor } from "../../../../lib/contract/actor";
import type { SkillDecision } from "../../../../lib/contract/skill-change";
import type { SkillFile } from "../../../../lib/skills";

/** The parts of a listed skill that clients receive. */
export interface SkillEntry {
  uri: string;
  frontmatter: Readonly<Record<string, unknown>>;
  resources: readonly SkillFile[];
}

export interface ApprovedSkill {
  hash: string;
  entry: SkillEntry;
}

export interface HeldSkill {
  hash: string;
  /** Null where the server lists the skill no more. */
  entry: SkillEntry | null;
  at: number;
  status: "open" | "blocked";
}

/** Which version of a server's skill is approved, and which one waits. */
export interface SkillPin {
  uri: string;
  /** Null for a new skill without an approved version. */
  approved: ApprovedSkill | null;
  held: HeldSkill | null;
  /** The user who decided last; null for a skill of the first list. */
  decidedBy: Actor | null;
  decidedAt: number | null;
}

/** The effect of a server's list on the pin of one skill. */
export type SkillPinChange =
  /** Replaces an earlier version that waited, rejected or not. */
  | { kind: "hold"; uri: string; held: Omit<HeldSkill, "status"> }
  /** The version with this hash waits no more: the server lists the approved one again, or a new skill no more. */
  | { kind: "settle"; uri: string; hash: string };

export type FileBytes = ReadonlyMap<string, Uint8Array>;

export interface SkillPinDecision {
  uri: string;
  /** Compared, so that a decision counts only for the shown version. */
  hash: string;
  status: HeldSkill["status"];
  decision: SkillDecision;
  by: Actor;
  at: number;
}

export interface SkillGateStore {
  /** The pins of all servers whose first list under the policy is known, by server. */
  listAll(): Promise<ReadonlyMap<string, SkillPin[]>>;
  /** Null where no list is known. */
  list(server: string): Promise<SkillPin[] | null>;
  /** Approves the skills of the first list, unless another instance did so. */
  begin(server: string, at: number, approved: readonly ApprovedSkill[], files: FileBytes): Promise<void>;
  change(server: string, changes: readonly SkillPinChange[], files: FileBytes): Promise<void>;
  /** A compare-and-set: the first decision wins. @returns whether this one did */
  decide(server: string, decision: SkillPinDecision): Promise<boolean>;
  /** The bytes of files by their digest; those that are not stored are absent. */
  readFiles(server: string, digests: readonly string[]): Promise<FileBytes>;
  clear(server: string): Promise<void>;
}
