import { createHash } from "node:crypto";

interface SarifRun {
  /** The name of the command that found the results. */
  name: string;
  version: string;
  /** Identifies the kind of a run: code scanning compares runs of the same kind. */
  id: string;
  at: number;
  rules: readonly { id: string }[];
  results: readonly { ruleId: string }[];
}

/** SARIF 2.1.0, which code scanning reads. */
export function formatSarif({ name, version, id, at, rules, results }: SarifRun): string {
  const log = {
    $schema: "https://json.schemastore.org/sarif-2.1.0.json",
    version: "2.1.0",
    runs: [
      {
        tool: { driver: { name, semanticVersion: version, rules } },
        automationDetails: { id },
        columnKind: "utf16CodeUnits",
        invocations: [{ executionSuccessful: true, endTimeUtc: new Date(at).toISOString() }],
        results,
      },
    ],
  };
  return `${JSON.stringify(log, null, 2)}\n`;
}

/** Identifies a result among others of its rule in later runs. */
export function hashFingerprint(text: string): string {
  return createHash("sha256").update(text).digest("hex").slice(0, 32);
}
