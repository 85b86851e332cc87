import { type AccessRules, type AccessRulesState, accessRulesStateSchema } from "../../../lib/contract/access-rules";
import type { Actor } from "../../../lib/contract/actor";
import { AppError } from "../../platform/shared/app-error";

const RULES = "access.rules";
const DEFAULT_RULES: AccessRules = { maxTokenDays: 90, absentDays: null };
const UNSAVED: AccessRulesState = { rules: DEFAULT_RULES, revision: 0, savedAt: null, savedBy: null };

export interface AccessRulesPorts {
  settings: {
    read(key: string): Promise<string | null>;
    replace(key: string, before: string | null, value: string): Promise<boolean>;
  };
  now(): number;
}

/** The greatest age of API tokens, and when absent accounts are switched off. */
export function createAccessRules({ settings, now }: AccessRulesPorts) {
  const read = async (): Promise<AccessRulesState> => readState(await settings.read(RULES));

  return {
    get: (_actor: Actor): Promise<AccessRulesState> => read(),

    /** @param revision of the rules that the edit began with */
    async save(actor: Actor, rules: AccessRules, revision?: number): Promise<AccessRulesState> {
      const text = await settings.read(RULES);
      const before = readState(text);
      if (revision !== undefined && revision !== before.revision) throw changedMeanwhile(before);
      const saved = { rules, revision: before.revision + 1, savedAt: now(), savedBy: actor.name };
      if (!(await settings.replace(RULES, text, JSON.stringify(saved)))) throw changedMeanwhile(await read());
      return saved;
    },
  };
}

/** Reads the rules where they are applied. */
export async function readAccessRules(settings: Pick<AccessRulesPorts["settings"], "read">): Promise<AccessRules> {
  return readState(await settings.read(RULES)).rules;
}

/** Rules that cannot be read, such as those of a later version, are the default: no account is switched off by them. */
function readState(text: string | null): AccessRulesState {
  try {
    const parsed = accessRulesStateSchema.safeParse(JSON.parse(text ?? "null"));
    return parsed.success ? parsed.data : UNSAVED;
  } catch {
    return UNSAVED;
  }
}

function changedMeanwhile({ savedBy }: AccessRulesState): AppError {
  const who = savedBy === null ? "" : ` by ${savedBy}`;
  return new AppError(
    "CONFLICT",
    `The access rules were changed after you opened them${who}. Reload the page and change them again.`,
  );
}
