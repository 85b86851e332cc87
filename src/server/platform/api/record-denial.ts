import type { Principal } from "../../../lib/contract/access";
import { getMessage } from "../../../lib/get-message";
import type { RequestContext } from "../../main/api/context";

/** Checks the rights of a request before a service is reached; a denial leaves an entry in the audit log. */
export async function recordDenial(
  auditLog: RequestContext["services"]["auditLog"],
  by: Principal,
  action: string,
  check: () => void,
): Promise<void> {
  try {
    check();
  } catch (error) {
    await auditLog.recordDenial({ by, action, error: getMessage(error) });
    throw error;
  }
}
