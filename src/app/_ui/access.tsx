"use client";

import { cloneElement, createContext, type MouseEvent, type ReactElement, type ReactNode, useContext } from "react";
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
export function useDenial(permission: Permission | undefined): string | null {
  const principal = usePrincipal();
  return permission === undefined ? null : explainDenial(principal, permission);
}

interface ControlProps {
  disabled?: boolean;
  title?: string;
  "aria-disabled"?: boolean;
  "aria-description"?: string;
  onClick?: (event: MouseEvent) => void;
}

const preventDefault = (event: MouseEvent): void => event.preventDefault();

/** A denied control stays focusable: it must be reachable to say why. A denied submit button submits nothing. */
export function denyControl(denial: string) {
  return {
    disabled: false,
    "aria-disabled": true,
    "aria-description": denial,
    title: denial,
    onClick: preventDefault,
  } as const satisfies ControlProps;
}

/** A button that is disabled, with the reason, where the person may not do what it does. */
export function Guard({ needs, children }: { needs: Permission; children: ReactElement<ControlProps> }) {
  const denial = useDenial(needs);
  return denial === null ? children : cloneElement(children, denyControl(denial));
}
