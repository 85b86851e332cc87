import { explainDenial, type Permission, type Principal } from "../../lib/contract";
import { AppError } from "./app-error";

/** @throws AppError with the code DENIED, which says who may */
export function assertAllowed(principal: Principal, permission: Permission): void {
  const reason = explainDenial(principal, permission);
  if (reason !== null) throw new AppError("DENIED", reason);
}
