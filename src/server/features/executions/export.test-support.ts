import type { ExecutionDetail } from "../../../lib/contract/execution";
import { answerExport, type EXPORT_FORMATS } from "./export-executions";
import type { HttpCall } from "./http-calls";

/** The file that an export of these calls writes, in their order. */
export async function exportText(
  calls: readonly ExecutionDetail[],
  format: (typeof EXPORT_FORMATS)[number],
  describeHttpCall: (call: ExecutionDetail) => HttpCall | null,
): Promise<string> {
  const executions = {
    list: async () => ({ items: [...calls], nextCursor: null }),
    getMany: async (ids: readonly string[]) => calls.filter(({ id }) => ids.includes(id)),
    describeHttpCall,
  };
  const stopping = new AbortController().signal;
  const response = answerExport(executions, {
    filter: {},
    format,
    bom: false,
    isLimited: false,
    watch: () => () => undefined,
    stopping,
  });
  return await response.text();
}
