import { explainDenial, isLimited, type Permission, type Principal } from "../../../lib/contract/access";
import { AppError } from "./app-error";

/** @throws AppError with the code DENIED, which says who may */
export function assertAllowed(principal: Principal, permission: Permission): void {
  const reason = explainDenial(principal, permission);
  if (reason !== null) throw new AppError("DENIED", reason);
}

/** @throws AppError with the code DENIED for a token that is limited to tools, servers or toolsets, unless `admitted` */
export function assertWithinLimits({ token }: Principal, admitted: boolean): void {
  if (token === null || !isLimited(token) || admitted) return;
  throw new AppError(
    "DENIED",
    "This token is limited to tools, servers or toolsets: it can run these, and nothing else",
  );
}
