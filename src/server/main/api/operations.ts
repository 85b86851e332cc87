import { viewOperations } from "../../features/views/view-operations";
import { webhookOperations } from "../../features/webhooks/webhook-operations";

/** The operations of every noun that is declared once, in the order of the document and of the help. */
export const OPERATIONS = [webhookOperations, viewOperations] as const;
