import type { Permission } from "@/lib/contract/access";
import { useDenial } from "./access";
import { Alert } from "./alert";

/** Shown above a form that the user may read but not send; renders nothing where they may. */
export function AccessNotice({ needs, className }: { needs: Permission; className?: string }) {
  const denial = useDenial(needs);
  return denial !== null && <Alert tone="accent" title={denial} className={className} />;
}
