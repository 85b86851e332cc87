import type { Principal } from "../../../lib/contract/access";
import type {
  ExportChoices,
  ExportedFile,
  ImportDecision,
  ImportOutcome,
  ImportPreview,
} from "../../../lib/contract/catalog-file";
import { AppError } from "../../platform/shared/app-error";
import { decideImport } from "./decide-import";
import { type ExportChoice, exportCatalog, listExportChoices } from "./export-catalog";
import { type OnImportProgress, planImport } from "./plan-import";
import { readFile } from "./read-file";
import type { SharingPorts } from "./sharing-ports";

export interface ImportRequest {
  text: string;
  /** The digest of the preview on which the decisions are based. */
  digest: string;
  decisions: readonly ImportDecision[];
}

export function createSharingService(ports: SharingPorts) {
  return {
    listExportChoices: (): ExportChoices => listExportChoices(ports),

    export: (_principal: Principal, choice: ExportChoice): Promise<ExportedFile> => exportCatalog(ports, choice),

    /** Previews the import of this text, within the rights of this user. */
    preview: async (principal: Principal, text: string, onProgress?: OnImportProgress): Promise<ImportPreview> =>
      (await planImport(ports, principal, text, await readFile(text, ports), onProgress)).preview,

    /** Imports all that was decided, or nothing. @throws AppError that says what keeps it from being imported */
    async import(principal: Principal, { text, digest, decisions }: ImportRequest): Promise<ImportOutcome> {
      const file = await readFile(text, ports);
      if (file.problems.length > 0 && file.format === "catalogue") {
        throw new AppError("INVALID", `Nothing was imported: ${file.problems.join("; ")}`);
      }
      // Servers first: their own changes wait for tools, never the other way round. Toolsets, skills, rules and cases wait for neither.
      return ports.servers.applyStored(() =>
        ports.tools.applyStored(() =>
          ports.toolsets.applyStored(() =>
            ports.skills.applyStored(() =>
              ports.rules.applyStored(() =>
                ports.ruleCases.applyStored(async () => {
                  const plan = await planImport(ports, principal, text, file);
                  if (plan.preview.digest !== digest) {
                    const message =
                      "Nothing was imported: the file or the catalog changed since the preview: look at it again";
                    throw new AppError("CONFLICT", message);
                  }
                  const { batch, outcome } = await decideImport(ports, principal, plan, decisions);
                  await ports.store.apply({ id: principal.id, name: principal.name }, batch);
                  return outcome;
                }),
              ),
            ),
          ),
        ),
      );
    },
  };
}
