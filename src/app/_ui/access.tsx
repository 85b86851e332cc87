"use client";

import {
  cloneElement,
  createContext,
  type MouseEvent,
  type ReactElement,
  type ReactNode,
  useContext,
  useMemo,
} from "react";
import { explainDenial, LOCAL_PRINCIPAL, type Permission, type Principal } from "@/lib/contract/access";

interface Access {
  principal: Principal;
  /** Shows why the pressed control is denied: a tooltip is out of reach of a finger and of most keyboards. */
  reportDenial: (denial: string) => void;
}

const reportNothing = (): void => undefined;
const AccessContext = createContext<Access>({ principal: LOCAL_PRINCIPAL, reportDenial: reportNothing });

interface AccessProviderProps extends Partial<Access> {
  principal: Principal;
  children: ReactNode;
}

/** Provides the user's rights. The server checks every request again. */
export function AccessProvider({ principal, reportDenial = reportNothing, children }: AccessProviderProps) {
  const access = useMemo(() => ({ principal, reportDenial }), [principal, reportDenial]);
  return <AccessContext value={access}>{children}</AccessContext>;
}

export function usePrincipal(): Principal {
  return useContext(AccessContext).principal;
}

/** False where everyone is the local owner. */
export function useHasAccounts(): boolean {
  return usePrincipal().id !== LOCAL_PRINCIPAL.id;
}

export function useReportDenial(): (denial: string) => void {
  return useContext(AccessContext).reportDenial;
}

/** Why the user may not do this, for the tooltip of a disabled control; null where it is allowed. */
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

/** A button that is disabled, with the reason, where the user may not do what it does. */
export function Guard({ needs, children }: { needs: Permission; children: ReactElement<ControlProps> }) {
  const denial = useDenial(needs);
  const reportDenial = useReportDenial();
  if (denial === null) return children;
  return cloneElement(children, {
    // The control stays focusable, so that users can learn why it is disabled.
    disabled: false,
    "aria-disabled": true,
    "aria-description": denial,
    title: denial,
    onClick: (event) => {
      // A denied submit button submits nothing.
      event.preventDefault();
      reportDenial(denial);
    },
  });
}
