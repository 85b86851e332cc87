import { onDemand } from "@/app/_ui/on-demand";

export const ConfirmAction = onDemand(() => import("./confirm-dialog"), "ConfirmAction");
