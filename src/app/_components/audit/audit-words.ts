/** The noun of a service whose name is not the noun of its actions. */
const NOUNS: Readonly<Record<string, string>> = {
  audit: "audit log",
  interactions: "server request",
  lenses: "lens",
  models: "model provider",
  ownSkills: "skill",
  people: "person",
  scim: "user provisioning",
  serviceAccounts: "service account",
  sharing: "catalog file",
  tokens: "API token",
};

/** Sentences for actions whose names do not form one. */
const WORDS: Readonly<Record<string, string>> = {
  attempts: "Repeated attempts",
  "accessRules.save": "Save access rules",
  "account.me": "Read own account",
  "approvals.decideMany": "Decide approvals",
  "audit.damaged": "Audit log damaged",
  "database.restored": "Database restored from a copy",
  "system.resume": "Server made the original",
  "jobs.runNow": "Run job",
  "lenses.example": "Preview lens on a result",
  "people.switchOn": "Switch accounts on",
  "retention.save": "Save retention rules",
  "retention.sweep": "Delete by retention",
  "retention.sweepNow": "Delete old calls",
  "signOn.switchOff": "Switch off absent account",
  "setupLink.create": "Create setup link",
  "signInLink.create": "Create sign-in link",
  "storage.backUp": "Back up database",
  "storage.deleteCopy": "Delete database copy",
  "webhooks.retry": "Retry webhook delivery",
  "token.refused": "Use refused API token",
};

const toWords = (name: string): string => name.replaceAll(/[A-Z]/g, (letter) => ` ${letter.toLowerCase()}`);

/** An action in words: `tools.create` → Create tool, `tools.setApproval` → Set approval (tool). */
export function describeAction(action: string): string {
  if (Object.hasOwn(WORDS, action)) return WORDS[action] ?? action;
  const [service = "", method] = action.split(".");
  const words = toWords(method ?? service);
  const sentence = words.charAt(0).toUpperCase() + words.slice(1);
  if (method === undefined) return sentence;
  const noun = Object.hasOwn(NOUNS, service) ? NOUNS[service] : toWords(service).replace(/s$/, "");
  return words.includes(" ") ? `${sentence} (${noun})` : `${sentence} ${noun}`;
}
