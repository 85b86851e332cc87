"use client";

import { createContext, type ReactNode, useContext } from "react";
import { explainDenial, LOCAL_PRINCIPAL, type Permission, type Principal } from "@/lib/contract/access";

const AccessContext = createContext<Principal>(LOCAL_PRINCIPAL);

/** Who uses the console. The server checks every request again. */
export function AccessProvider({ principal, children }: { principal: Principal; children: ReactNode }) {
  return <AccessContext value={principal}>{children}</AccessContext>;
}

export function usePrincipal(): Principal {
  return useContext(AccessContext);
}

/** Why the person may not do this, for the tooltip of a disabled control; null where it is allowed. */
export function useDenial(permission: Permission): string | null {
  return explainDenial(useContext(AccessContext), permission);
}
